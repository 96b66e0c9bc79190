/* What real headers hold, in a nutshell. */
#define API_PUBLIC __attribute__((visibility("default")))
#define ATTR(a, b) __attribute__((pointer_with_type_tag(MPI, a, b)))
#define MPI_VERSION 4
#define MPI_SUCCESS 0
#define MPI_Comm_c2f(comm) (int)(comm)
typedef int MPI_Comm;
typedef struct ompi_win_t *MPI_Win;
typedef struct MPI_Status { int MPI_SOURCE; int MPI_TAG; } MPI_Status;
enum { MPI_ONE = 1, MPI_TWO };
typedef enum MPI_Kind { MPI_KIND_A } MPI_Kind;
struct opaque { struct { int MPI_inner; } deep; };
extern API_PUBLIC MPI_Comm MPI_COMM_THING;
extern int *const MPI_POINTER;
typedef int (MPI_Copy_function)(MPI_Comm, int, void *, void *, void *, int *);
typedef void MPI_Free_function(void *);
static inline int MPI_Inline(int x) { if (x) { return '{'; } return x; }
int unrelated(int, const char *, ...);
void (*signal_like(int, void (*)(int)))(int);
__extension__ extern long long other[4];

API_PUBLIC int MPI_Barrier(MPI_Comm comm); API_PUBLIC int PMPI_Barrier(MPI_Comm comm);
int MPI_Unnamed(int, const int [], MPI_Win *) __attribute__((__deprecated__("use (another)")));
int PMPI_Unnamed(int, const int [], MPI_Win *);
int MPI_Ranges(MPI_Comm comm, int n, int ranges[][3]) API_PUBLIC;
int PMPI_Ranges(MPI_Comm comm, int n, int ranges[][3]) API_PUBLIC;
int MPI_Callbacks(MPI_Copy_function *copy, MPI_Free_function direct, void (*raw)(MPI_Comm *, int, ...),
	void *extra_state);
int PMPI_Callbacks(MPI_Copy_function *copy, MPI_Free_function direct, void (*raw)(MPI_Comm *, int, ...),
	void *extra_state);
int MPI_Pcontrol(const int level, ...);
int PMPI_Pcontrol(const int level, ...);
extern double MPI_Wtime(void);
extern double PMPI_Wtime(void);
MPI_Win MPI_Win_f2c(int win) API_PUBLIC ATTR(1, 2);
MPI_Win PMPI_Win_f2c(int win) API_PUBLIC ATTR(1, 2);
int MPI_Names(char *const argv[], const char * restrict name, unsigned long n, MPI_Kind kind, struct opaque *o);
int PMPI_Names(char *const argv[], const char * restrict name, unsigned long n, MPI_Kind kind, struct opaque *o);
int MPI_Without_twin(int x);
int PMPI_Without_function(int x);
