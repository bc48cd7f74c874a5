<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

use Headroom\Spool\BucketStatus;
use Headroom\Spool\Monitoring\NodeStatus;
use Headroom\Spool\Monitoring\StatusReader;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\SpoolStatus;
use Throwable;

/**
 * Looks at this machine and at the table of nodes, and decides which alerts this machine reports. It asks no sink.
 *
 * @internal
 */
final readonly class AlertWatch
{
    private const SHARED = [AlertCause::NothingDelivers, AlertCause::DeadLetters, AlertCause::BucketStopped];

    public function __construct(private SpoolServices $spool, private AlertRules $rules) {}

    public function look(): Observation
    {
        $nodes = $this->nodes();
        $isReporter = $nodes === null || $this->rules->reportsNodes($nodes);
        $ofNodes = $this->rules->ofNodes($nodes ?? []);

        try {
            $status = $this->spool->statusWithoutSql();
        } catch (Throwable $e) {
            return new Observation(
                self::byKey([...$this->rules->ofFailure($e), ...($isReporter ? $ofNodes : [])]),
                elsewhere: $isReporter ? [] : array_keys(self::byKey($ofNodes)),
                knowsMachine: false,
                knowsNodes: $nodes !== null,
            );
        }

        $ofMachine = [...$this->rules->ofMachine($status), ...$this->rules->ofStore()];
        $elsewhere = $isReporter ? [] : [...$ofNodes, ...array_filter(
            $ofMachine,
            static fn (Alert $alert): bool => self::isShared($alert, $status),
        )];

        return new Observation(
            array_diff_key(self::byKey([...$ofMachine, ...$ofNodes]), self::byKey($elsewhere)),
            self::letters($status),
            array_keys(self::byKey($elsewhere)),
            knowsNodes: $nodes !== null,
            unknownBuckets: array_values(array_map(
                static fn (BucketStatus $bucket): string => $bucket->bucket,
                array_filter($status->buckets, self::isUnknown(...)),
            )),
        );
    }

    /** @return ?list<NodeStatus> null when the table cannot be read; empty without heartbeats */
    private function nodes(): ?array
    {
        try {
            return $this->spool->nodes()?->all() ?? [];
        } catch (Throwable) {
            return null; // Its connection has short timeouts.
        }
    }

    /** Whether every machine sees it, because the bucket is in Redis. */
    private static function isShared(Alert $alert, SpoolStatus $status): bool
    {
        foreach ($status->buckets as $bucket) {
            if ($bucket->bucket === $alert->bucket) {
                return $bucket->store === 'redis' && $bucket->error === null
                    && $bucket->backpressure->refusing === null
                    && in_array($alert->cause, self::SHARED, true);
            }
        }

        return false;
    }

    private static function isUnknown(BucketStatus $bucket): bool
    {
        return $bucket->error !== null && $bucket->error !== StatusReader::TOO_FAST;
    }

    /** @return array<string, LetterCount> */
    private static function letters(SpoolStatus $status): array
    {
        $letters = [];

        foreach ($status->buckets as $bucket) {
            $letters[AlertCause::DeadLetters->value.":{$bucket->bucket}"]
                = new LetterCount($bucket->storage->letters, $bucket->events->dead);
        }

        return $letters;
    }

    /**
     * @param array<Alert> $alerts
     * @return array<string, Alert>
     */
    private static function byKey(array $alerts): array
    {
        $byKey = [];

        foreach ($alerts as $alert) {
            $byKey[$alert->key()] ??= $alert;
        }

        return $byKey;
    }
}
