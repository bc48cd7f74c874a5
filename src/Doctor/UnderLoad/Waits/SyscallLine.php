<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

/**
 * A line of /proc/PID/syscall: "running", or the number of the call, six arguments, stack and instruction pointers;
 * proc_pid_syscall(5).
 *
 * @internal
 */
final readonly class SyscallLine
{
    /**
     * @param ?int $number -1 if it is blocked outside of a call; null while it runs
     * @param list<int> $arguments of the call; -1 for a value that is too large for an address or a descriptor
     */
    private function __construct(public ?int $number, public array $arguments) {}

    /** Null for another line. */
    public static function parse(string $line): ?self
    {
        if (trim($line) === 'running') {
            return new self(null, []);
        }

        if (preg_match('/\A(-?\d+)((?: 0x[0-9a-f]+){2,8})\s*\z/', $line, $m) !== 1) {
            return null;
        }

        $words = array_slice(explode(' ', trim($m[2])), 0, (int) $m[1] < 0 ? 0 : 6);

        // 15 digits are 60 bits, more than any address of a process.
        return new self(
            (int) $m[1],
            array_map(static fn (string $word): int => strlen($word) > 17 ? -1 : (int) hexdec($word), $words),
        );
    }

    public function argument(int $index): int
    {
        return $this->arguments[$index] ?? -1;
    }

    /** Descriptors are 32 bits wide; the upper half of the register may contain anything. */
    public function descriptor(): int
    {
        return $this->argument(0) & 0x7FFFFFFF;
    }
}
