<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\KernelSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Support\TerminalText;

/**
 * @internal
 */
final readonly class BacklogOverflow implements CauseDetector
{
    private const MIN_REJECTED_SHARE = 0.01;

    /** A queue overflows because something is slow. If that is known, it comes first. */
    private const WEIGHT = 0.39;

    public function in(Recording $recording): ?Cause
    {
        $refused = $recording->traffic?->share(502) ?? 0.0;
        $full = count(array_filter(
            $recording->during,
            static fn (Snapshot $sample): bool => $sample->pool?->isFull() ?? false,
        ));
        $overflows = $recording->kernel(static fn (KernelSnapshot $snapshot): ?int => $snapshot->overflows) ?? 0;

        if (
            $full === 0 && $overflows === 0
            || ($refused < self::MIN_REJECTED_SHARE && $overflows === 0)
            || ! $recording->isDegraded()
        ) {
            return null;
        }

        $limit = max([
            0, ...array_map(static fn (Snapshot $sample): int => $sample->pool->limit ?? 0, $recording->during),
        ]);

        return new Cause(
            Bottleneck::BacklogOverflow,
            self::WEIGHT,
            sprintf('Requests are rejected at once: %s.', implode(', ', array_filter([
                // The kernel counts for all listeners of a network namespace together, including nginx.
                $full > 0
                    ? "the queue of the pool takes {$limit} and was full"
                    : TerminalText::count($overflows, 'TCP connection').' found a full queue',
                $recording->traffic === null ? '' : sprintf('%.1f %% of the responses are 502', 100 * $refused),
            ], static fn (string $words): bool => $words !== ''))),
            [
                new Evidence(
                    'queue that was full',
                    "{$full} of ".count($recording->during).' looks, '.($recording->maxQueueLength() ?? 0)
                        ." of {$limit} at most",
                    'ss',
                ),
                new Evidence(
                    'connections that a full queue dropped',
                    (string) $overflows,
                    'ListenOverflows of /proc/PID/net/netstat, TCP only',
                ),
                ...($recording->traffic === null
                    ? []
                    : [new Evidence('answers with 502', sprintf('%.1f %%', 100 * $refused), 'the load')]),
                ...$recording->evidence(),
            ],
            Severity::Critical,
            'A longer queue helps with bursts only: raise listen.backlog of the pool and net.core.somaxconn together,'
                .' then restart PHP-FPM. Otherwise requests must be faster, or the pool larger.',
        );
    }
}
