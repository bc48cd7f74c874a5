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
 * Delivers events to a bucket's sink without writing them to the buffer.
 *
 * @internal
 */
final readonly class DirectDelivery
{
    public function __construct(private SinkRegistry $sinks, private Clock $clock) {}

    /**
     * @param string $payload one line of JSON per event, joined by "\n"
     * @param DirectWriteResult $result counts the events that a sink without direct writes takes before it fails
     * @param Closure(bool): void $settled called once when the outcome is known: true when the events are stored for
     *     good, false when the caller's transaction was rolled back
     * @return bool false when the sink supports no direct delivery; nothing was delivered then
     *
     * @throws Throwable
     */
    public function try(BucketConfig $config, string $payload, DirectWriteResult $result, Closure $settled): bool
    {
        $sink = $this->sinks->of($config);

        if ($sink instanceof ExactlyOnce && ! $sink instanceof SupportsDirectWrite) {
            return false;
        }

        $delivery = Delivery::direct($config->name, $this->records($config, $payload));

        if ($sink instanceof SupportsDirectWrite) {
            $sink->deliverDirectly($delivery, $settled);
        } else {
            $result->deliver($sink, $delivery, $this->sinks);
            $settled(true);
        }

        return true;
    }

    /**
     * Whether the sink threw because the caller's own transaction is lost. The caller must get such an exception
     * unchanged.
     */
    public function isTransactionLost(BucketConfig $config, Throwable $e): bool
    {
        try {
            return ! $e instanceof HeadroomException && $this->sinks->of($config) instanceof SupportsDirectWrite;
        } catch (InvalidConfig) {
            return false;
        }
    }

    public static function unsupported(BucketConfig $config): string
    {
        return "the sink '{$config->sink}' keeps a cursor and does not implement ".SupportsDirectWrite::class.'.';
    }

    /**
     * Decodes the payload to the records that a flush would have delivered.
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
