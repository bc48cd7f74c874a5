<?php

declare(strict_types=1);

namespace Headroom\Testing;

use Headroom\Core\Batch;
use Headroom\Core\Permanent;
use Headroom\Core\Retryable;
use Headroom\Sink\Delivery;
use Headroom\Sink\SingleEventSink;
use Headroom\Sink\Sink;
use Headroom\Sink\UnableToDeliver;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The contract of every sink. The test of a sink extends AtLeastOnceContract or, for an ExactlyOnce sink,
 * ExactlyOnceContract. It makes the sink, reads its destination and makes deliveries fail.
 */
abstract class SinkContract extends TestCase
{
    /**
     * Columns of the events in these tests, for destinations that need a schema. All except `id` may be null or
     * missing.
     */
    public const COLUMNS = [
        'id' => 'string',
        'text' => 'string',
        'number' => 'int',
        'ratio' => 'float',
        'flag' => 'bool',
    ];

    /**
     * Makes the sink as a new process would. All sinks of one test have the same destination, which is empty at first.
     */
    abstract public function createSink(): Sink;

    /**
     * Everything that arrived in this test, with duplicates, in the order of arrival.
     *
     * @return list<Arrived>
     */
    abstract public function arrived(): array;

    /** Makes all deliveries fail from now on. The later in a delivery the failure comes, the better the test. */
    abstract public function obstruct(): void;

    /** Undoes obstruct(). */
    abstract public function clear(): void;

    #[Test]
    public function one_event_arrives(): void
    {
        $this->deliver($this->createSink(), $this->log()->delivery([$this->row('only')]));

        self::assertSame(['only'], $this->arrivedIds());
    }

    #[Test]
    public function many_events_arrive_whole_and_in_their_order(): void
    {
        $names = array_map(static fn (int $number): string => "event {$number}", range(1, 2500));
        $this->deliver($this->createSink(), $this->log()->delivery(array_map($this->row(...), $names)));

        self::assertSame($names, $this->arrivedIds());
    }

    #[Test]
    public function deliveries_arrive_one_behind_the_other_from_whichever_process_they_come(): void
    {
        $log = $this->log();
        $sink = $this->createSink();
        $this->deliver($sink, $log->delivery([$this->row('a'), $this->row('b')]));
        $this->deliver($sink, $log->delivery([$this->row('c')]));
        $this->deliver($this->createSink(), $log->delivery([$this->row('d'), $this->row('e')]));

        self::assertSame(['a', 'b', 'c', 'd', 'e'], $this->arrivedIds());
    }

    #[Test]
    #[DataProvider('values')]
    public function a_value_arrives_as_it_was_given(string $column, string|int|float|bool|null $value): void
    {
        $this->deliver(
            $this->createSink(),
            $this->log()->delivery([[...$this->row('it'), $column => $value], $this->row('next')]),
        );

        self::assertSame(['it', 'next'], $this->arrivedIds());
        self::assertSame($value, $this->arrived()[0]->values[$column] ?? null);
    }

    /** @return array<string, array{string, string|int|float|bool|null}> */
    public static function values(): array
    {
        return [
            'text' => ['text', 'plain'],
            'empty text' => ['text', ''],
            'the digit zero' => ['text', '0'],
            'digits with a zero in front' => ['text', '007'],
            'the word null' => ['text', 'null'],
            'letters of many scripts' => ['text', 'Grüße, мир, 你好, مرحبا'],
            'four bytes and joined ones' => ['text', '🚀 𝕏 👩‍👩‍👧'],
            'line breaks' => ['text', "one\ntwo\r\nthree\rfour\u{2028}five"],
            'quotes, backslashes, placeholders' => ['text', '\'"`\\ \\n \\x41 ? :name %s $1 --'],
            'JSON' => ['text', '{"a": [1, 2, {"b": null}]}'],
            'blanks at the ends' => ['text', "  \t both "],
            'long text' => ['text', str_repeat('0123456789abcdef', 4096)],
            'no text' => ['text', null],
            'zero' => ['number', 0],
            'below zero' => ['number', -1],
            'beyond 32 bits' => ['number', 9_007_199_254_740_993],
            'largest integer' => ['number', PHP_INT_MAX],
            'smallest integer' => ['number', PHP_INT_MIN],
            'no number' => ['number', null],
            'fraction' => ['ratio', 0.1],
            'whole float' => ['ratio', -2.0],
            'tiny float' => ['ratio', 1.5e-7],
            'no float' => ['ratio', null],
            'true' => ['flag', true],
            'false' => ['flag', false],
            'neither' => ['flag', null],
        ];
    }

    #[Test]
    public function events_of_one_delivery_may_have_different_columns(): void
    {
        $this->deliver($this->createSink(), $this->log()->delivery([
            ['id' => 'bare'],
            ['text' => 'turned round', 'id' => 'round'],
            ['id' => 'number', 'number' => 7],
        ]));

        $values = array_column(
            array_map(static fn (Arrived $arrived): array => $arrived->values, $this->arrived()),
            null,
            'id',
        );

        self::assertEqualsCanonicalizing(['bare', 'round', 'number'], array_keys($values));
        self::assertNull($values['bare']['text'] ?? null);
        self::assertSame('turned round', $values['round']['text'] ?? null);
        self::assertSame(7, $values['number']['number'] ?? null);
    }

    #[Test]
    public function a_failure_says_whether_to_try_again_and_shows_nothing_of_the_events(): void
    {
        $this->obstruct();
        $failure = $this->failureOf(
            $this->createSink(),
            $this->log()->delivery([[...$this->row('a'), 'text' => 'confidential']]),
        );

        self::assertTrue(
            $failure instanceof Retryable xor $failure instanceof Permanent,
            $failure::class.' must be either Retryable or Permanent.',
        );
        self::assertNotSame('', $failure->getMessage());
        self::assertStringNotContainsString('confidential', $failure->getMessage());
    }

    #[Test]
    public function after_a_failure_the_same_range_arrives_from_the_same_process_and_from_a_new_one(): void
    {
        $log = $this->log();
        $sink = $this->createSink();
        $first = $log->delivery([$this->row('a'), $this->row('b')]);
        $this->obstruct();
        $this->failureOf($sink, $first);
        $this->clear();
        $this->deliver($sink, $first);

        $second = $log->delivery([$this->row('c'), $this->row('d')]);
        $this->obstruct();
        $this->failureOf($sink, $second);
        $this->clear();
        $this->deliver($this->createSink(), $second);

        self::assertSame(['a', 'b', 'c', 'd'], array_values(array_unique($this->arrivedIds())));
    }

    /** Delivers a range as the flusher does. */
    final public function deliver(Sink $sink, Delivery $delivery): void
    {
        $this->prepare($sink, $delivery);

        foreach ($sink instanceof SingleEventSink ? $this->single($delivery) : [$delivery] as $part) {
            $sink->deliver($part);
        }
    }

    /** @return list<Delivery> one for each record, as the flusher sends them to a SingleEventSink */
    private function single(Delivery $delivery): array
    {
        $singles = [];

        foreach ($delivery->batch as $number => $record) {
            $isLast = $number === count($delivery->batch) - 1;
            $singles[] = new Delivery(
                $delivery->source,
                $record->position,
                $isLast ? $delivery->to : $delivery->batch->record(max(0, $number + 1))->position,
                Batch::of([$record]),
            );
        }

        return $singles;
    }

    /** Called before the first delivery of a log, as the flusher prepares a sink. */
    public function prepare(Sink $sink, Delivery $delivery): void {}

    final public function failureOf(Sink $sink, Delivery $delivery): UnableToDeliver
    {
        $this->prepare($sink, $delivery);

        try {
            $sink->deliver($sink instanceof SingleEventSink ? $this->single($delivery)[0] : $delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        self::fail('The delivery succeeded although obstruct() was called.');
    }

    final public function log(): ContractLog
    {
        return ContractLog::of('contract');
    }

    /** @return non-empty-array<string, scalar|null> */
    final public function row(string $id): array
    {
        return ['id' => $id, 'text' => "the text of {$id}", 'number' => 1, 'ratio' => 0.5, 'flag' => true];
    }

    /** @return list<string> the column `id` of the events that arrived */
    final public function arrivedIds(): array
    {
        return array_map(static function (Arrived $arrived): string {
            $id = $arrived->values['id'] ?? null;
            self::assertIsString($id);

            return $id;
        }, $this->arrived());
    }
}
