<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\Batch;
use Headroom\Core\FaultPoint;
use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use RuntimeException;

/**
 * Writes the lines of all events but those whose id begins with "bad", and says which these were. With one whose id is
 * "strange" it says numbers that are none.
 */
final readonly class PartlySink implements Sink
{
    public function __construct(private Sink $sink, private FaultPoint $faultPoint, private string $log) {}

    public function deliver(Delivery $delivery): void
    {
        file_put_contents($this->log, "{$delivery->id()} ".count($delivery->batch)."\n", FILE_APPEND);
        $this->faultPoint->reached('sink.called');
        clearstatcache();
        $isLenient = is_file("{$this->log}.lenient");
        [$good, $bad] = [[], []];

        foreach ($delivery->batch as $number => $record) {
            $id = is_string($record->values['id'] ?? null) ? $record->values['id'] : '';

            if (str_starts_with($id, 'bad') && ! $isLenient) {
                $bad[max(0, $number)] = match ($id) {
                    'bad and long' => str_repeat("{$id} ", 400_000),
                    'bad by number' => 422,
                    'bad by nothing' => null,
                    'bad by a list' => ['422'],
                    'bad by an exception' => new RuntimeException('It said so.'),
                    default => "{$id} is bad.",
                };
            } elseif ($id === 'strange') {
                throw SomeAreBad::those([count($delivery->batch) => 'No such number.']);
            } else {
                $good[] = $record;
            }
        }

        if ($good !== []) {
            $this->sink->deliver(new Delivery($delivery->source, $delivery->from, $delivery->to, Batch::of($good)));
        }

        $this->faultPoint->reached('sink.returned');

        if ($bad !== []) {
            throw SomeAreBad::those($bad);
        }
    }
}
