<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

/**
 * Describes the waits of many processes, one line for each kind of wait.
 *
 * @internal
 */
final readonly class WaitSummary
{
    /** @param list<Wait> $waits */
    public function __construct(private array $waits) {}

    public function without(WaitKind $kind): self
    {
        return new self(array_values(array_filter(
            $this->waits,
            static fn (Wait $wait): bool => $wait->kind !== $kind,
        )));
    }

    /**
     * @return list<string> such as "38 wait for a reply from 127.0.0.1:6379 (redis-server)"; most first, and what is
     *     not known last, with the reason of the first
     */
    public function lines(): array
    {
        $alike = [];

        foreach ($this->waits as $wait) {
            // One reason is enough for all unknown ones: they differ only in the pid.
            $alike[$wait->kind === WaitKind::Unknown
                ? ''
                : "{$wait->kind->value} {$wait->peer?->address}".($wait->peer === null ? $wait->why : '')][] = $wait;
        }

        usort(
            $alike,
            static fn (array $a, array $b): int => [$a[0]->kind === WaitKind::Unknown, count($b), $a[0]->pid]
                <=> [$b[0]->kind === WaitKind::Unknown, count($a), $b[0]->pid],
        );

        return array_map(
            static fn (array $waits): string => count($waits).' '.self::phrase($waits[0], count($waits) === 1),
            $alike,
        );
    }

    private static function phrase(Wait $wait, bool $isOne): string
    {
        $whom = $wait->peer?->text() ?? 'an unknown peer';
        $waits = $isOne ? 'waits' : 'wait';

        $text = match ($wait->kind) {
            WaitKind::Working => $isOne ? 'works' : 'work',
            WaitKind::Idle => 'idle',
            WaitKind::Client => ($isOne ? 'is' : 'are')
                .' held by a connection that the web server keeps idle, or does not read',
            WaitKind::Connecting => ($isOne ? 'connects' : 'connect')." to {$whom}",
            WaitKind::Reply => "{$waits} for a reply from {$whom}",
            WaitKind::Sending => "{$waits} until {$whom} takes what is sent",
            WaitKind::FileLock => "{$waits} for a file lock",
            WaitKind::Disk => "{$waits} for the disk",
            WaitKind::KernelLock => "{$waits} for a lock in the kernel, as of a directory",
            WaitKind::Sleeping => $isOne ? 'sleeps' : 'sleep',
            WaitKind::Resolving => "{$waits} for the name server {$whom}",
            WaitKind::Other => "{$waits} for something else",
            WaitKind::Unknown => ($isOne ? 'is' : 'are').' not known',
        };

        return $wait->why === null ? $text : "{$text}: {$wait->why}";
    }
}
