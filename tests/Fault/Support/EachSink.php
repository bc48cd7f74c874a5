<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Sink\Delivery;
use Headroom\Sink\SingleEventSink;
use RuntimeException;

/**
 * Takes one event at a time. An id that begins with "bad" is refused, "fails" makes the sink fail, and "later SECONDS"
 * makes it ask for a later retry, until the sink is repaired.
 */
final readonly class EachSink implements SingleEventSink
{
    /**
     * @param string $mended a file: when it is there, everything is taken but what is bad, or only what is named in it;
     *     or what is named in it is refused
     */
    public function __construct(private PointedSink $sink, private string $mended) {}

    public function deliver(Delivery $delivery): void
    {
        $id = $delivery->batch->record(0)->values['id'] ?? null;
        $id = is_string($id) ? $id : '';

        if (count($delivery->batch) !== 1) {
            throw new RuntimeException(count($delivery->batch).' at once.');
        }

        clearstatcache();
        $this->sink->note($delivery);

        match (true) {
            str_starts_with($id, 'bad'),
            is_file($this->mended) && file_get_contents($this->mended) === "refuses {$id}" => throw PickyRefusal::of(1),
            is_file($this->mended) && in_array(file_get_contents($this->mended), ['', $id], true) => null,
            str_starts_with($id, 'fails') => throw new RuntimeException("{$id} on purpose"),
            str_starts_with($id, 'later') => throw Later::in((int) substr($id, 6)),
            default => null,
        };

        $this->sink->pass($delivery);
    }
}
