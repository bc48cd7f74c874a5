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

    /**
     * @param int $segmentBytes a slot of this size is left for the sealer
     * @param Closure(): Permissions $permissions asked when something has to be created
     */
    public function __construct(
        private readonly string $root,
        private readonly Clock $clock,
        private readonly int $segmentBytes,
        private readonly Closure $permissions,
        private readonly ?Checkpoint $checkpoint = null,
    ) {}

    public function append(string $bucket, string $payload, int $count): void
    {
        ($this->slots[$bucket] ??= new Slots($this->root, $bucket, $this->clock, $this->segmentBytes, $this->permissions, $this->checkpoint))->append($payload, $count, $this->keepNext);

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

    /** What this process keeps would be busy for its own sealer. */
    public function giveBack(string $bucket): void
    {
        ($this->slots[$bucket] ?? null)?->release();
    }
}
