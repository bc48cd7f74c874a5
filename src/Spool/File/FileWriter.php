<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Closure;
use Headroom\Core\Checkpoint;
use Headroom\Core\Clock;
use Headroom\Spool\Writer;

/**
 * @internal
 */
final class FileWriter implements Writer
{
    /** @var array<string, Slots> by bucket */
    private array $slots = [];

    private bool $keeping = false;

    /** The first append of a scope closes its slot: most requests buffer one event. */
    private bool $keepNext = false;

    /** @var ?Closure(): void */
    private ?Closure $whenKept = null;

    /**
     * @param int $segmentBytes a slot of this size is left for the sealer
     * @param Closure(): Permissions $permissions asked when something has to be created
     * @param ?Clock $clock null is the system's, without a class to load
     */
    public function __construct(
        private readonly string $root,
        private readonly int $segmentBytes,
        private readonly Closure $permissions,
        private readonly ?Clock $clock = null,
        private readonly ?Checkpoint $checkpoint = null,
    ) {}

    public function append(string $bucket, string $payload, int $count): void
    {
        ($this->slots[$bucket] ??= new Slots($this->root, $bucket, $this->segmentBytes, $this->permissions, $this->clock, $this->checkpoint))->append($payload, $count, $this->keepNext);

        if ($this->whenKept !== null && $this->keepNext) {
            ($this->whenKept)();
            $this->whenKept = null;
        }

        $this->keepNext = $this->keeping;
    }

    public function keep(?Closure $whenKept = null): void
    {
        $this->keeping = true;
        $this->keepNext = false;
        $this->whenKept = $whenKept;
    }

    public function release(): void
    {
        $this->keeping = false;
        $this->keepNext = false;
        $this->whenKept = null;

        foreach ($this->slots as $slots) {
            $slots->release();
        }
    }

    /** What this process keeps would be busy for its own sealer. */
    public function giveBack(string $bucket): void
    {
        ($this->slots[$bucket] ?? null)?->release();
    }
}
