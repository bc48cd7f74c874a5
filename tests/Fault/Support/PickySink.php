<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;

/**
 * Refuses every batch that has an event whose id begins with "bad", and writes the others' lines to a file.
 */
final readonly class PickySink implements Sink
{
    public function __construct(private Sink $sink) {}

    public function deliver(Delivery $delivery): void
    {
        $bad = array_filter(
            iterator_to_array($delivery->batch),
            static fn (Record $record): bool => is_string($record->values['id'] ?? null)
                && str_starts_with($record->values['id'], 'bad'),
        );

        if ($bad !== []) {
            throw PickyRefusal::of(count($bad));
        }

        $this->sink->deliver($delivery);
    }
}
