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
     * @param string $repaired a file that repairs the sink: empty for all events, or with the id of the only event that
     *     is repaired; "refuses ID" makes the sink refuse that event
     */
    public function __construct(private PointedSink $sink, private string $repaired) {}

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
            is_file($this->repaired)
                && file_get_contents($this->repaired) === "refuses {$id}" => throw PickyRefusal::of(1),
            is_file($this->repaired) && in_array(file_get_contents($this->repaired), ['', $id], true) => null,
            str_starts_with($id, 'fails') => throw new RuntimeException("{$id} on purpose"),
            str_starts_with($id, 'later') => throw Later::in((int) substr($id, 6)),
            default => null,
        };

        $this->sink->pass($delivery);
    }
}
