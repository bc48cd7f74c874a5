<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Kernel\KernelFiles;

/**
 * Reads the descriptors that a call waits for from its arguments and the memory that they point to.
 *
 * @internal
 */
final readonly class AwaitedDescriptors
{
    // poll(2). PHP-FPM never waits for more descriptors at once.
    private const MAX_DESCRIPTORS = 1024;

    private const POLL_IN = 0x43;

    private const POLL_OUT = 0x104;

    private const EPOLL_OUT = 0x4;

    // sys/un.h: two bytes of the family, then a path of 108 bytes.
    private const MAX_ADDRESS_BYTES = 110;

    private const UNIX_FAMILY = "\1\0";

    public function __construct(private KernelFiles $files) {}

    /** @return ?list<AwaitedDescriptor> null when its memory may not be read */
    public function of(int $pid, Syscall $call, SyscallLine $at): ?array
    {
        $asked = match ($call) {
            Syscall::Poll => $this->polled($pid, $at->argument(0), $at->argument(1)),
            Syscall::Select => $this->selected($pid, $at),
            Syscall::Epoll => $this->registered($pid, $at->descriptor()),
            default => [[$at->descriptor(), $call === Syscall::Read, $call !== Syscall::Read]],
        };

        return $asked === null ? null : array_map(
            fn (array $one): AwaitedDescriptor
                => new AwaitedDescriptor(
                    $one[1],
                    $one[2],
                    $this->files->target("/proc/{$pid}/fd/{$one[0]}") ?? "fd {$one[0]}",
                ),
            $asked,
        );
    }

    /** @return list<AwaitedDescriptor> the sockets that it has open */
    public function allOf(int $pid): array
    {
        $sockets = [];

        foreach ($this->files->numbers("/proc/{$pid}/fd") as $number) {
            $target = $this->files->target("/proc/{$pid}/fd/{$number}") ?? '';

            if (str_starts_with($target, 'socket:')) {
                $sockets[] = new AwaitedDescriptor(true, false, $target);
            }
        }

        return $sockets;
    }

    /** The path of the Unix socket that connect() opens. An abstract one begins with @. */
    public function path(int $pid, SyscallLine $at): ?string
    {
        $length = $at->argument(2);
        $address = $length > 2 && $length <= self::MAX_ADDRESS_BYTES
            ? $this->files->bytes("/proc/{$pid}/mem", $at->argument(1), $length)
            : null;

        if ($address === null || ! str_starts_with($address, self::UNIX_FAMILY)) {
            return null;
        }

        $name = substr($address, 2);

        return $name[0] === "\0" ? '@'.substr($name, 1) : rtrim($name, "\0");
    }

    /** @return ?list<array{int, bool, bool}> descriptor, to read, to write */
    private function polled(int $pid, int $address, int $count): ?array
    {
        $count = min($count, self::MAX_DESCRIPTORS);
        // struct pollfd: a descriptor of 32 bits, then 16 bits of requested and 16 of returned events.
        $bytes = $count <= 0 ? '' : $this->files->bytes("/proc/{$pid}/mem", $address, 8 * $count);

        if ($bytes === null || strlen($bytes) < 8 * $count) {
            return null;
        }

        $asked = [];

        for ($i = 0; $i < $count; $i++) {
            [$fd, $events] = [self::number($bytes, 8 * $i, 4), self::number($bytes, 8 * $i + 4, 2)];

            // The call ignores a negative one.
            if ($fd <= 0x7FFFFFFF) {
                $asked[] = [$fd, ($events & self::POLL_IN) !== 0, ($events & self::POLL_OUT) !== 0];
            }
        }

        return $asked;
    }

    /** @return ?list<array{int, bool, bool}> */
    private function selected(int $pid, SyscallLine $at): ?array
    {
        $count = min($at->descriptor(), self::MAX_DESCRIPTORS);
        $sets = [];

        foreach ([1, 2] as $argument) {
            $address = $at->argument($argument);
            // The kernel takes whole words of 64 bits.
            $sets[] = $count === 0 || $address <= 0
                ? ''
                : $this->files->bytes("/proc/{$pid}/mem", $address, max(8, 8 * intdiv($count + 63, 64)));
        }

        if ($sets[0] === null || $sets[1] === null) {
            return null;
        }

        $asked = [];

        for ($fd = 0; $fd < $count; $fd++) {
            [$read, $write] = array_map(
                static fn (string $set): bool => (ord($set[intdiv($fd, 8)] ?? "\0") >> ($fd % 8) & 1) === 1,
                $sets,
            );

            if ($read || $write) {
                $asked[] = [$fd, $read, $write];
            }
        }

        return $asked;
    }

    /** @return ?list<array{int, bool, bool}> */
    private function registered(int $pid, int $epoll): ?array
    {
        try {
            preg_match_all(
                '/^tfd: +(\d+) events: +([0-9a-f]+)/m',
                $this->files->read("/proc/{$pid}/fdinfo/{$epoll}"),
                $rows,
                PREG_SET_ORDER,
            );
        } catch (FactUnavailable) {
            return null;
        }

        return array_map(
            static fn (array $row): array => [
                (int) $row[1],
                ((int) hexdec($row[2]) & self::POLL_IN) !== 0,
                ((int) hexdec($row[2]) & self::EPOLL_OUT) !== 0,
            ],
            $rows,
        );
    }

    /** Little-endian, as all supported machines are. */
    private static function number(string $bytes, int $offset, int $length): int
    {
        return (int) hexdec(bin2hex(strrev(substr($bytes, $offset, $length))));
    }
}
