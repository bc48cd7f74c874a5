<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Health\AppendsAreRefused;
use Headroom\Spool\Health\BucketIsUndeclared;
use Headroom\Spool\Health\EventsAreNotDelivered;
use Headroom\Spool\Health\Health;
use Headroom\Spool\Health\NodesAreSilent;
use Headroom\Spool\Health\StateIsUnreadable;
use Headroom\Spool\Monitoring\NodeStatus;
use Headroom\Spool\Monitoring\StatusReader;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\SpoolStatus;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\UnableToCall;
use Throwable;

/**
 * Decides which problems of this machine and of other nodes are alerts. The health checks word them.
 *
 * @internal
 */
final readonly class AlertRules
{
    /** A single failure is no alert. The next flush of the schedule, a minute later, has failed as well by then. */
    private const FAILING_SECONDS = 45;

    private const SPACE = [
        AppendFailure::DiskFull, AppendFailure::DiskQuota, AppendFailure::Quota, AppendFailure::Reserve,
    ];

    /** @param int $after seconds without a delivery that are an alert */
    public function __construct(
        private SpoolServices $spool,
        private int $after = EventsAreNotDelivered::TOO_LONG_SECONDS,
    ) {}

    /**
     * Asks neither a database nor a sink.
     *
     * @param SpoolStatus $status may be one that was read without SQL
     * @return list<Alert>
     */
    public function ofMachine(SpoolStatus $status): array
    {
        $alerts = $status->node === null ? [] : self::all(AlertCause::DiskShort, $this->disk());

        foreach ($status->buckets as $bucket) {
            $alerts = [...$alerts, ...$this->ofBucket($bucket)];
        }

        return self::unique($alerts);
    }

    /**
     * The alerts when the status cannot be read.
     *
     * @return list<Alert>
     */
    public function ofFailure(Throwable $e): array
    {
        $alerts = $this->ofStore();

        return $alerts === [] ? self::all(AlertCause::BucketStopped, [
            new Finding('the buffer', $e->getMessage(), 'Run `spool:health`: it shows how to fix it.'),
        ]) : $alerts;
    }

    /**
     * A disk that is mounted read-only, for example. A flush cannot save that it failed there.
     *
     * @return list<Alert>
     */
    public function ofStore(): array
    {
        try {
            $findings = PhpRestrictions::within((new Health($this->spool))->store(...));
        } catch (Throwable) {
            return [];
        }

        return self::unique(self::all(AlertCause::BucketStopped, array_values(array_filter(
            $findings,
            static fn (Finding $finding): bool => $finding->fatal,
        ))));
    }

    /**
     * @param list<NodeStatus> $nodes for each node, the latest heartbeat first
     * @return list<Alert>
     */
    public function ofNodes(array $nodes): array
    {
        $silent = array_filter(
            NodesAreSilent::latest($nodes),
            static fn (NodeStatus $node): bool => $node->isSilent(),
        );

        return self::unique([
            ...self::all(AlertCause::Fork, NodesAreSilent::duplicates($nodes)),
            ...self::all(AlertCause::NodeSilent, array_values(array_map(NodesAreSilent::ofNode(...), $silent))),
        ]);
    }

    /**
     * Whether this machine reports the alerts that all machines see. Only the live node with the smallest id does, so
     * that many machines do not send as many messages. Without a live node in the table each machine does.
     *
     * @param list<NodeStatus> $nodes
     */
    public function reportsNodes(array $nodes): bool
    {
        $live = array_map(
            static fn (NodeStatus $node): string => $node->beat->node,
            array_filter($nodes, static fn (NodeStatus $node): bool => ! $node->isSilent()),
        );

        try {
            return $live === [] || (! $this->spool->isUntouched() && $this->spool->store()->node() === min($live));
        } catch (HeadroomException) {
            return false;
        }
    }

    /** @return list<Finding> */
    private function disk(): array
    {
        $appends = new AppendsAreRefused($this->spool);
        $findings = $appends->minFreeBytes();

        return $findings === [] ? $appends->runsShort() : $findings;
    }

    /** @return list<Alert> */
    private function ofBucket(BucketStatus $bucket): array
    {
        $name = $bucket->bucket;
        $alerts = [
            self::alert(AlertCause::Fork, EventsAreNotDelivered::diskFork($bucket), $name),
            $this->refusal($bucket),
            ...self::all(
                AlertCause::DiskShort,
                $bucket->storage->maxBytes === null ? [] : (new AppendsAreRefused($this->spool))->maxBytes($name),
                $name,
            ),
            self::alert(AlertCause::BucketStopped, $this->unreadable($bucket), $name),
            self::alert(AlertCause::BucketStopped, EventsAreNotDelivered::setBack($bucket), $name),
            $this->undelivered($bucket),
            self::alert(AlertCause::DeadLetters, EventsAreNotDelivered::letters($bucket), $name),
        ];

        return array_values(array_filter($alerts));
    }

    private function refusal(BucketStatus $bucket): ?Alert
    {
        $failure = AppendFailure::tryFrom($bucket->backpressure->refusing ?? '');

        return $failure === null ? null : self::alert(
            in_array($failure, self::SPACE, true) ? AlertCause::DiskShort : AlertCause::BucketStopped,
            (new AppendsAreRefused($this->spool))->incident($bucket->bucket)[0] ?? null,
            $bucket->bucket,
        );
    }

    private function unreadable(BucketStatus $bucket): ?Finding
    {
        if ($bucket->error === null || $bucket->error === StatusReader::TOO_FAST) {
            return null;
        }

        try {
            $finding = (new StateIsUnreadable($this->spool))->ofBucket($bucket->bucket);
        } catch (HeadroomException|UnableToCall) {
            $finding = null;
        }

        return $finding ?? new Finding(
            "bucket {$bucket->bucket}",
            $bucket->error,
            'Run `spool:health`: it shows how to fix it.',
        );
    }

    private function undelivered(BucketStatus $bucket): ?Alert
    {
        $name = $bucket->bucket;
        $fork = EventsAreNotDelivered::fork($bucket);
        $failure = EventsAreNotDelivered::failure($bucket);

        return match (true) {
            $fork !== null => Alert::of(AlertCause::Fork, $fork, $name),
            $failure === null => self::alert(AlertCause::NothingDelivers, $this->late($bucket), $name),
            ($bucket->flush->failingSeconds ?? INF) < self::FAILING_SECONDS => null,
            default => Alert::of(AlertCause::BucketStopped, $failure, $name),
        };
    }

    private function late(BucketStatus $bucket): ?Finding
    {
        if ($bucket->sink === null) {
            return $bucket->oldestSeconds > $this->after ? BucketIsUndeclared::nonEmpty($bucket) : null;
        }

        $finding = (new EventsAreNotDelivered($this->spool, $this->after))->lateness($bucket);

        return $finding?->fatal === true ? $finding : null;
    }

    private static function alert(AlertCause $cause, ?Finding $finding, string $bucket): ?Alert
    {
        return $finding === null ? null : Alert::of($cause, $finding, $bucket);
    }

    /**
     * @param list<Finding> $findings
     * @return list<Alert>
     */
    private static function all(AlertCause $cause, array $findings, ?string $bucket = null): array
    {
        return array_map(static fn (Finding $finding): Alert => Alert::of($cause, $finding, $bucket), $findings);
    }

    /**
     * The first of several alerts with one key is the most serious one.
     *
     * @param list<Alert> $alerts
     * @return list<Alert>
     */
    private static function unique(array $alerts): array
    {
        $unique = [];

        foreach ($alerts as $alert) {
            $unique[$alert->key()] ??= $alert;
        }

        return array_values($unique);
    }
}
