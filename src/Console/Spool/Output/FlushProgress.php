<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\Output;

use Headroom\Console\ProgressIndicator;
use Headroom\Sink\Delivery;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;

/**
 * Shows the progress of a flush in bytes, which are known without reading the pending events. A small backlog is
 * delivered before a bar could be drawn, so it has none.
 *
 * @internal
 */
final class FlushProgress
{
    private const WORTH_IT_BYTES = 1_048_576;

    /** @var ?array<int, int> bytes before each segment */
    private ?array $before = null;

    private int $from = 0;

    public function __construct(
        private readonly ProgressIndicator $bar,
        private readonly Layout $layout,
        private readonly string $name,
    ) {}

    public function advance(Delivery $delivery): void
    {
        if ($this->before === null) {
            $this->begin($delivery);
        }

        $this->bar->at(($this->before[$delivery->to->segment] ?? 0) + $delivery->to->offset - $this->from);
    }

    /** A flush delivers the segments that are sealed when its first batch arrives. */
    private function begin(Delivery $delivery): void
    {
        $bytes = 0;
        $this->before = [];
        clearstatcache();

        foreach (DirectoryListing::asSeen($this->layout->sealed)->segments() as $sequence) {
            $this->before[$sequence] = $bytes;
            $bytes += (int) @filesize($this->layout->sealedSegment($sequence));
        }

        $this->from = ($this->before[$delivery->from->segment] ?? 0)
            + ($delivery->from->segment === 0 ? 0 : $delivery->from->offset);

        if ($bytes - $this->from >= self::WORTH_IT_BYTES) {
            $this->bar->start($this->name, $bytes - $this->from);
        }
    }
}
