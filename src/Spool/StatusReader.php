<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\File\CountersFile;
use Headroom\Spool\File\FileStore;
use Headroom\Spool\File\HeldSlot;
use Headroom\Spool\File\Inspector;
use Headroom\Spool\File\Mark;
use Headroom\Spool\File\Permissions;
use Headroom\Spool\File\Room;
use Headroom\Spool\File\StateRecord;
use Headroom\Spool\Refusal\Counts;
use Headroom\Spool\Refusal\UnableToCount;
use Throwable;

/**
 * @internal
 */
final readonly class StatusReader
{
    /** A request that has kept its slot for longer is stuck, or its process is. */
    private const HELD_SECONDS = 60;

    public function __construct(private FileStore $store, private Sinks $sinks, private SpoolConfig $config, private Clock $clock) {}

    public function read(): SpoolStatus
    {
        $declared = $this->config->names();
        sort($declared);

        // A look must not make the directories: they would belong to whoever looked first.
        if ($this->store->isUntouched()) {
            return new SpoolStatus(null, $this->store->root, array_map($this->untouched(...), $declared));
        }

        $names = array_unique([...$declared, ...$this->store->buckets()]);
        sort($names);

        return new SpoolStatus($this->store->node(), $this->store->root, array_map($this->readable(...), $names));
    }

    private function untouched(string $name): BucketStatus
    {
        return new BucketStatus($name, $this->config->bucket($name)?->sink, 0, 0, 0, 0, 0, 0, null, 0, 0, [], null);
    }

    /** One bucket's damage does not hide the others' numbers. */
    private function readable(string $name): BucketStatus
    {
        try {
            return $this->bucket($name);
        } catch (HeadroomException $e) {
            return new BucketStatus($name, null, 0, 0, 0, 0, 0, 0, null, 0, 0, [], $e->getMessage());
        }
    }

    private function bucket(string $name): BucketStatus
    {
        $error = null;
        $inspector = new Inspector($this->store->layout($name), $this->store->permissions, $this->clock);
        $config = $this->config->bucket($name);

        $ledger = function () use ($config, $name, &$error): ?Progress {
            try {
                $sink = $config === null ? null : $this->sinks->of($config);

                return $sink instanceof ExactlyOnce ? $sink->progress(new Source($this->store->node(), $name)) : null;
            } catch (Throwable $e) {
                $error = $e->getMessage();

                return null;
            }
        };

        $seen = $inspector->inspect($ledger);
        $progress = $seen->progress;
        [$counts, $uncounted] = $this->counts($name);
        $incident = $counts->incident;

        return new BucketStatus(
            bucket: $name,
            sink: $config?->sink,
            accepted: $seen->accepted + $counts->direct + $counts->droppedInAll(),
            delivered: $progress->delivered + $counts->direct,
            dead: $seen->dead,
            dropped: $counts->droppedInAll(),
            pending: $seen->pending,
            missing: $seen->accepted - $progress->delivered - $seen->dead - $seen->pending,
            oldestSeconds: $seen->oldestAcceptedAt === null ? null : max(0.0, ($this->clock->micros() - $seen->oldestAcceptedAt) / 1_000_000),
            pendingBytes: $seen->pending === 0 ? 0 : $seen->bytes,
            damaged: $seen->damaged,
            held: array_map($this->words(...), $inspector->heldSlots(self::HELD_SECONDS)),
            error: $error ?? $this->unreadable($seen->unreadable) ?? $uncounted,
            direct: $counts->direct,
            droppedByReason: $counts->dropped,
            refusedByReason: $counts->refused,
            refusing: $incident?->isOver($this->clock->micros()) === false ? $incident->failure->value : null,
            usedBytes: (new Room($this->config, $name))->used(),
            quota: $config?->quota,
            letters: $seen->letters,
            replayed: $seen->record->flush->replayed,
            trouble: $this->trouble($seen->record->flush->trouble),
            flushedSeconds: $seen->record->flushedAt === 0 ? null : max(0.0, ($this->clock->micros() - $seen->record->flushedAt) / 1_000_000),
            inPerSecond: $this->rate($seen->record, $seen->accepted + $seen->record->revived, static fn (Mark $mark): int => $mark->accepted),
            outPerSecond: $this->rate($seen->record, $progress->delivered, static fn (Mark $mark): int => $mark->delivered),
        );
    }

    private function trouble(?Trouble $trouble): ?string
    {
        if ($trouble === null) {
            return null;
        }

        $wait = intdiv($trouble->nextTry - $this->clock->micros(), 1_000_000) + 1;

        return ($trouble->isDown() ? 'its sink is down: ' : '')."{$trouble->attempts} flushes in a row failed since ".gmdate('Y-m-d H:i:s', intdiv($trouble->since, 1_000_000)).' UTC, the next try is '.($wait > 0 ? "in {$wait} s" : 'due').". The last failure: {$trouble->reason}";
    }

    /**
     * Since the older mark, which is one to two minutes old while something is delivered.
     *
     * @param Closure(Mark): int $of
     */
    private function rate(StateRecord $record, int $now, Closure $of): ?float
    {
        $mark = $record->marks[0] ?? null;
        $seconds = $mark === null ? 0 : ($this->clock->micros() - $mark->at) / 1_000_000;

        return $mark === null || $seconds < 1 ? null : max(0, $now - $of($mark)) / $seconds;
    }

    /** @return array{Counts, ?string} what requests counted, and why it could not be read */
    private function counts(string $name): array
    {
        try {
            return [(new CountersFile($this->store->layout($name), $this->clock))->read() ?? new Counts, null];
        } catch (UnableToCount $e) {
            return [new Counts, "{$e->getMessage()} Events that went to the sink directly or were dropped are missing from these numbers."];
        }
    }

    /** @param list<string> $paths */
    private function unreadable(array $paths): ?string
    {
        return $paths === [] ? null : count($paths)." files or directories can not be read, so the numbers are too small, first {$paths[0]}. ".Permissions::ownership($paths[0]).' See spool:health.';
    }

    private function words(HeldSlot $slot): string
    {
        return "slot {$slot->name} is held by ".($slot->pid === null ? 'a process' : "pid {$slot->pid}")." and was last written {$slot->idleSeconds} s ago";
    }
}
