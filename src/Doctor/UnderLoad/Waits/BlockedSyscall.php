<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

/**
 * The system call that blocks a process.
 *
 * @internal
 */
final readonly class BlockedSyscall
{
    /**
     * @param list<AwaitedDescriptor> $awaited
     * @param ?string $notSeen why the awaited ones are unknown; then these are all of its sockets
     * @param ?string $path of the Unix socket that it connects to
     */
    public function __construct(
        public int $pid,
        public Syscall $call,
        public array $awaited = [],
        public ?string $notSeen = null,
        public ?string $path = null,
    ) {}

    /** @return list<int> */
    public function sockets(): array
    {
        return array_values(array_filter(
            array_map(static fn (AwaitedDescriptor $awaited): ?int => $awaited->socket(), $this->awaited),
            is_int(...),
        ));
    }
}
