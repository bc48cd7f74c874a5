<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Checkpoint;
use Headroom\Core\Clock;
use Headroom\Sink\Source;
use Headroom\Spool\BucketName;
use Headroom\Spool\Claim;
use Headroom\Spool\KeepsSlots;
use Headroom\Spool\Store;
use Headroom\Spool\UnableToAppend;
use Throwable;

/**
 * The buffer on a local disk: docs/spool-format.md.
 *
 * @internal
 */
final class FileStore implements KeepsSlots, Store
{
    private ?string $node = null;

    /** @var array<string, Slots> by bucket */
    private array $slots = [];

    private bool $keeping = false;

    /** The first append of a scope closes its slot: most requests buffer one event. */
    private bool $keepNext = false;

    /**
     * @param int $segmentBytes a slot of this size is left for the sealer
     */
    public function __construct(
        public readonly string $root,
        public readonly Permissions $permissions,
        private readonly Clock $clock,
        private readonly int $segmentBytes = 33_554_432,
        private readonly ?Checkpoint $checkpoint = null,
    ) {}

    public function append(string $bucket, string $payload, int $count): void
    {
        try {
            ($this->slots[$bucket] ??= $this->slots($bucket))->append($payload, $count, $this->keepNext);
        } catch (UnableToAppend $e) {
            if (! $this->adoptNewNode()) {
                throw $e;
            }

            ($this->slots[$bucket] = $this->slots($bucket))->append($payload, $count, $this->keepNext);
        }

        $this->keepNext = $this->keeping;
    }

    public function keep(): void
    {
        $this->keeping = true;
    }

    public function release(): void
    {
        $this->keeping = false;
        $this->keepNext = false;

        foreach ($this->slots as $slots) {
            $slots->release();
        }
    }

    public function claim(string $bucket): ?Claim
    {
        $this->adoptNewNode();
        $layout = $this->layout($bucket);

        foreach ($layout->directories() as $directory) {
            $this->permissions->makeDirectory($directory);
        }

        $lock = FlushLock::acquire($layout, $this->permissions, $this->checkpoint);

        if ($lock === null) {
            return null;
        }

        // What this process keeps would be busy for its own sealer.
        ($this->slots[$bucket] ?? null)?->release();
        $state = new StateFile($layout->stateFile, $this->permissions, $lock);

        try {
            (new Sealer($layout, $state, $this->clock, $this->checkpoint))->sealAll();
        } catch (Throwable $e) {
            $lock->release();

            throw $e;
        }

        return new FileClaim(new Source($this->node(), $bucket), new FileLog($layout, $state, $this->permissions), $lock, $layout, $this->checkpoint);
    }

    public function buckets(): array
    {
        $directory = "{$this->root}/{$this->node()}";

        return array_values(array_filter((new Folder($directory))->names(), static fn (string $name): bool => BucketName::isValid($name) && is_dir("{$directory}/{$name}")));
    }

    public function node(): string
    {
        return $this->node ??= NodeId::of($this->root, $this->permissions, $this->checkpoint);
    }

    public function layout(string $bucket): Layout
    {
        return new Layout("{$this->root}/{$this->node()}/".BucketName::check($bucket));
    }

    /** Whether the root has another id by now: it can be moved away or emptied under a process that lives long. */
    private function adoptNewNode(): bool
    {
        $node = $this->node === null ? null : NodeId::read($this->root);

        if ($node === null || $node === $this->node) {
            return false;
        }

        array_map(static fn (Slots $slots) => $slots->release(), $this->slots);
        $this->slots = [];
        $this->node = $node;

        return true;
    }

    private function slots(string $bucket): Slots
    {
        $header = json_encode([
            'format' => 1,
            'node' => $this->node(),
            'bucket' => $bucket,
            'uid' => Permissions::currentUser(),
        ], JSON_THROW_ON_ERROR);

        return new Slots($this->layout($bucket), $this->permissions, $this->clock, $header, $this->segmentBytes, $this->checkpoint);
    }
}
