<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\SupportsDirectWrite;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\Encoding\Codec;
use Headroom\Support\InvalidConfig;
use Throwable;

/**
 * Hands events that are in no log to a bucket's sink.
 *
 * @internal
 */
final readonly class DirectDelivery
{
    public function __construct(private SinkRegistry $sinks, private Clock $clock) {}

    /**
     * @param string $payload one line of JSON per event, joined by "\n"
     * @param DirectWriteResult $arrivals counts those that a plain sink takes before it fails
     * @param Closure(bool): void $settled called once when it is known: true, they are there for good; false, the caller's transaction was undone
     * @return bool false when the sink is not made for it; nothing was done then
     *
     * @throws Throwable
     */
    public function try(BucketConfig $config, string $payload, DirectWriteResult $arrivals, Closure $settled): bool
    {
        $sink = $this->sinks->of($config);

        if ($sink instanceof ExactlyOnce && ! $sink instanceof SupportsDirectWrite) {
            return false;
        }

        $delivery = Delivery::direct($config->name, $this->records($config, $payload));

        if ($sink instanceof SupportsDirectWrite) {
            $sink->deliverDirectly($delivery, $settled);
        } else {
            $arrivals->to($sink, $delivery, $this->sinks);
            $settled(true);
        }

        return true;
    }

    /** What the sink threw since the caller's own transaction is gone: the caller has to see it as it is. */
    public function isTheCallers(BucketConfig $config, Throwable $e): bool
    {
        try {
            return ! $e instanceof HeadroomException && $this->sinks->of($config) instanceof SupportsDirectWrite;
        } catch (InvalidConfig) {
            return false;
        }
    }

    public static function notPossible(BucketConfig $config): string
    {
        return "the sink '{$config->sink}' keeps a cursor and does not implement ".SupportsDirectWrite::class.'.';
    }

    /**
     * What a flush would have handed over.
     *
     * @return non-empty-list<Record>
     */
    private function records(BucketConfig $config, string $payload): array
    {
        $codec = new Codec($config->utf8);
        $now = $this->clock->micros();
        $records = [];

        foreach (explode("\n", $payload) as $index => $line) {
            [$values, $ownId] = $codec->decode($line);
            $records[] = new Record(new Position(0, 0, min($index, 65_535)), $now, $values, $ownId);
        }

        return $records;
    }
}
