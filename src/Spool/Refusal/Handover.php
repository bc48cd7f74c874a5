<?php

declare(strict_types=1);

namespace Headroom\Spool\Refusal;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Core\InvalidConfig;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Sink\Direct;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\OneByOne;
use Headroom\Sink\Sink;
use Headroom\Sink\SomeRefused;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Codec;
use Headroom\Spool\Sinks;
use Headroom\Spool\UnableToAppend;
use Throwable;

/**
 * Hands events that are in no log to a bucket's sink.
 *
 * @internal
 */
final readonly class Handover
{
    public function __construct(private Sinks $sinks, private Clock $clock) {}

    /**
     * @param string $payload one line of JSON per event, joined by "\n"
     * @param Closure(bool): void $settled called once when it is known: true, they are there for good; false, the caller's transaction was undone
     * @return bool false when the sink is not made for it; nothing was done then
     *
     * @throws Throwable
     */
    public function try(BucketConfig $config, string $payload, Closure $settled): bool
    {
        $sink = $this->sinks->of($config);

        if ($sink instanceof ExactlyOnce && ! $sink instanceof Direct) {
            return false;
        }

        $records = $this->records($config, $payload);

        if ($sink instanceof Direct) {
            $sink->deliverDirectly(Delivery::direct($config->name, $records), $settled);

            return true;
        }

        $sink instanceof OneByOne ? $this->eachAlone($config->name, $sink, $records) : $this->together($config->name, $sink, $records);
        $settled(true);

        return true;
    }

    /**
     * @param non-empty-list<Record> $records
     *
     * @throws Throwable
     */
    private function together(string $bucket, Sink $sink, array $records): void
    {
        try {
            $sink->deliver(Delivery::direct($bucket, $records));
        } catch (SomeRefused $e) {
            throw UnableToAppend::partly($bucket, count($records) - count($e->refused()), count($records), $e);
        }
    }

    /**
     * @param non-empty-list<Record> $records
     *
     * @throws Throwable
     */
    private function eachAlone(string $bucket, OneByOne $sink, array $records): void
    {
        foreach ($records as $number => $record) {
            try {
                $sink->deliver(Delivery::direct($bucket, [$record]));
            } catch (Throwable $e) {
                throw $number === 0 ? $e : UnableToAppend::partly($bucket, $number, count($records), $e);
            }
        }
    }

    /** What the sink threw since the caller's own transaction is gone: the caller has to see it as it is. */
    public function isTheCallers(BucketConfig $config, Throwable $e): bool
    {
        try {
            return ! $e instanceof HeadroomException && $this->sinks->of($config) instanceof Direct;
        } catch (InvalidConfig) {
            return false;
        }
    }

    public static function notPossible(BucketConfig $config): string
    {
        return "the sink '{$config->sink}' keeps a cursor and does not implement ".Direct::class.'.';
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
