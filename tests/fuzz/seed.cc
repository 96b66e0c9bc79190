/* seed.cc - names in scopes of many kinds, for the fuzzer to begin with; needs no header, so that any target does */
#define KEEP __attribute__((noinline, used))
#define IN static inline __attribute__((always_inline))

volatile int sink;

namespace one
{
namespace two
{
struct box {
	KEEP int put(int x);
	struct inner {
		static KEEP int get(int x)
		{
			sink = x;
			return sink + 1;
		}
	};
};
template <typename T, int N> KEEP T many(T x)
{
	for (int i = 0; i < N; i++)
		sink = sink + static_cast<int>(x);
	return x;
}
} // namespace two

namespace
{
KEEP int hidden(int x)
{
	auto f = [x](auto y) {
		sink = x;
		return static_cast<int>(y) + sink;
	};
	struct local {
		static KEEP int deep(int z)
		{
			sink = z;
			return sink;
		}
	};
	return f(2) + f('a') + local::deep(x);
}
} // namespace

IN int third(int x)
{
	sink = x;
	return two::box::inner::get(sink);
}
IN int second(int x)
{
	return x > 2 ? third(x) : third(x + 1);
}

int two::box::put(int x)
{
	return second(x) + hidden(x) + many<long, 3>(x) + many<char, 2>(static_cast<char>(x));
}
} // namespace one

extern "C" KEEP int entry(int x)
{
	one::two::box b;

	return b.put(x);
}

int main()
{
	return entry(sink);
}
