<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\File\FileStore;
use Headroom\Spool\File\HeldSlot;
use Headroom\Spool\File\Inspector;
use Headroom\Spool\File\Permissions;
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
        return new BucketStatus($name, $this->config->bucket($name)?->sink, 0, 0, 0, 0, 0, 0, null, 0, 0, [], null, $this->store->pauses()->of($name));
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

        return new BucketStatus(
            bucket: $name,
            sink: $config?->sink,
            accepted: $seen->accepted,
            delivered: $progress->delivered,
            dead: $progress->dead,
            dropped: 0,
            pending: $seen->pending,
            missing: $seen->accepted - $progress->delivered - $progress->dead - $seen->pending,
            oldestSeconds: $seen->oldestAcceptedAt === null ? null : max(0.0, ($this->clock->micros() - $seen->oldestAcceptedAt) / 1_000_000),
            pendingBytes: $seen->pending === 0 ? 0 : $seen->bytes,
            damaged: $seen->damaged,
            held: array_map($this->words(...), $inspector->heldSlots(self::HELD_SECONDS)),
            error: $error ?? $this->unreadable($seen->unreadable),
            paused: $this->store->pauses()->of($name),
        );
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
