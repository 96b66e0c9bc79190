/* Objects of all kinds that live at once, and go in another order; names, attributes, a user's operation. */
#include "t.h"

static void add(void *in, void *inout, int *len, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < *len; i++)
		((int *)inout)[i] += ((int *)in)[i];
}

/* Communicators between groups: from both sides, and one made of the other. */
static void between(void)
{
	int v = 1, sum, in[4], color = t_rank % 2;
	MPI_Comm half, inter, twin, merged;
	MPI_Group g;

	MPI_Comm_split(MPI_COMM_WORLD, color, -t_rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, color ? 2 : 3, 4, &inter);
	MPI_Comm_dup(inter, &twin);
	MPI_Comm_remote_group(twin, &g);
	MPI_Group_free(&g);
	for (int k = 0; k < 3; k++) {
		MPI_Reduce(&v, &sum, 1, MPI_INT, MPI_SUM,
			color	      ? 0
			: t_rank == 2 ? MPI_ROOT
				      : MPI_PROC_NULL,
			twin);
		MPI_Allgather(&v, 1, MPI_INT, in, 1, MPI_INT, inter);
		MPI_Sendrecv(&v, 1, MPI_INT, (t_rank / 2 + k) % 2, k, in, 1, MPI_INT,
			MPI_ANY_SOURCE, k, twin, MPI_STATUS_IGNORE);
	}
	MPI_Comm_free(&inter);
	MPI_Intercomm_merge(twin, color, &merged);
	MPI_Allreduce(&v, &sum, 1, MPI_INT, MPI_SUM, merged);
	CHECK(sum == t_size);
	MPI_Comm_free(&half);
	MPI_Comm_free(&merged);
	MPI_Comm_free(&twin);
}

static void attributes(void)
{
	int key[3], flag;
	void *value;
	MPI_Datatype type;
	MPI_Win win;

	MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key[0], NULL);
	MPI_Type_create_keyval(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, &key[1], NULL);
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &key[2], NULL);
	MPI_Type_dup(MPI_INT, &type);
	MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	for (int k = 0; k < 3; k++) {
		MPI_Comm_set_attr(MPI_COMM_WORLD, key[0], &key[0]);
		MPI_Type_set_attr(type, key[1], &key[1]);
		MPI_Win_set_attr(win, key[2], &key[2]);
		MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag);
		CHECK(flag && *(MPI_Aint *)value == 0);
		MPI_Comm_get_attr(MPI_COMM_WORLD, key[0], &value, &flag);
		CHECK(flag && value == &key[0]);
		MPI_Type_get_attr(type, key[1], &value, &flag);
		MPI_Win_delete_attr(win, key[2]);
		MPI_Type_delete_attr(type, key[1]);
		MPI_Comm_delete_attr(MPI_COMM_WORLD, key[0]);
	}
	MPI_Win_free(&win);
	MPI_Type_free(&type);
	MPI_Win_free_keyval(&key[2]);
	MPI_Type_free_keyval(&key[1]);
	MPI_Comm_free_keyval(&key[0]);
}

static void operations(void)
{
	int v[3] = { 1, 2, 3 }, out[3];
	MPI_Op op[2];
	MPI_Datatype three;
	MPI_Request q;

	MPI_Op_create(add, 1, &op[0]);
	MPI_Op_create(add, 0, &op[1]);
	MPI_Type_contiguous(1, MPI_INT, &three);
	MPI_Type_commit(&three);
	for (int k = 0; k < 4; k++) {
		MPI_Allreduce(v, out, 3, three, op[k % 2], MPI_COMM_WORLD);
		CHECK(out[2] == 3 * t_size);
		MPI_Iscan(v, out, 3, MPI_INT, op[0], MPI_COMM_WORLD, &q);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
		MPI_Reduce_local(v, out, 3, MPI_INT, op[1]);
	}
	MPI_Op_free(&op[0]);
	MPI_Type_free(&three);
	MPI_Op_free(&op[1]);
}

/* Slots become free in the middle, and are taken again. */
static void in_turn(void)
{
	MPI_Comm c[4];
	MPI_Info info[2];
	MPI_Request q[4];
	char name[MPI_MAX_OBJECT_NAME], value[20];
	int len;

	MPI_Info_create(&info[0]);
	MPI_Info_set(info[0], "first key", "one value");
	for (int i = 0; i < 4; i++)
		MPI_Comm_dup(MPI_COMM_WORLD, &c[i]);
	for (int k = 0; k < 6; k++) {
		MPI_Comm_free(&c[k % 3]);
		MPI_Comm_idup(c[3], &c[k % 3], &q[0]);
		MPI_Wait(&q[0], MPI_STATUS_IGNORE);
		MPI_Comm_set_name(c[k % 3], k % 2 ? "odd" : "even");
		MPI_Comm_get_name(c[k % 3], name, &len);
		CHECK(len == (k % 2 ? 3 : 4));
		MPI_Info_dup(info[0], &info[1]);
		len = sizeof(value);
		MPI_Info_get_string(info[1], "first key", &len, value, &(int){ 0 });
		MPI_Info_free(&info[1]);
		for (int i = 0; i < 4; i++)
			MPI_Ibarrier(c[i], &q[3 - i]);
		MPI_Waitall(4, q, MPI_STATUSES_IGNORE);
	}
	MPI_Info_free(&info[0]);
	for (int i = 0; i < 4; i++)
		MPI_Comm_free(&c[i]);
}

int main(int argc, char **argv)
{
	t_init(&argc, &argv);
	between();
	attributes();
	operations();
	in_turn();
	return t_fini();
}
