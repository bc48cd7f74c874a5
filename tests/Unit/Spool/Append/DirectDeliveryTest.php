<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Append;

use Closure;
use Headroom\Core\SystemClock;
use Headroom\Sink\Delivery;
use Headroom\Sink\PartialBatchFailure;
use Headroom\Sink\SingleEventSink;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Spool\Append\DirectDelivery;
use Headroom\Spool\Append\DirectWriter;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\ConfigReader;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;

/**
 * Events that bypass the buffer reach the sink in the form that it accepts.
 */
final class DirectDeliveryTest extends TestCase
{
    /** @var list<int> records of each delivery */
    private array $deliveries = [];

    /** @var list<string> */
    private array $ids = [];

    #[Test]
    public function a_sink_that_takes_one_at_a_time_gets_one_at_a_time(): void
    {
        $this->direct($this->oneByOne(99), 3);

        self::assertSame([1, 1, 1], $this->deliveries);
        self::assertCount(3, array_unique($this->ids));
    }

    #[Test]
    public function when_it_fails_in_the_middle_the_message_says_how_many_have_arrived(): void
    {
        $e = $this->failure($this->oneByOne(2), 3);

        $refusal = new RuntimeException('The third is too much.');

        self::assertSame(AppendFailure::Sink, $e->failure);
        self::assertEquals(UnableToAppend::sinkFailed('a', $refusal, 2), $e);
        self::assertEquals(UnableToAppend::sinkFailed('a', $refusal), $this->failure($this->oneByOne(0), 3));
    }

    #[Test]
    public function a_sink_that_refuses_some_has_the_others(): void
    {
        $sink = new class implements Sink
        {
            public function deliver(Delivery $delivery): void
            {
                throw new class('One is bad.') extends RuntimeException implements PartialBatchFailure
                {
                    public function refused(): array
                    {
                        return [1 => 'bad'];
                    }
                };
            }
        };

        $e = $this->failure($sink, 3);
        self::assertInstanceOf(PartialBatchFailure::class, $e->getPrevious());
        self::assertEquals(UnableToAppend::sinkFailed('a', $e->getPrevious(), 2), $e);
    }

    private function oneByOne(int $takes): SingleEventSink
    {
        $this->deliveries = [];

        return new class($takes, function (Delivery $delivery): void {
            $this->deliveries[] = count($delivery->batch);
            $this->ids[] = $delivery->idOf($delivery->batch->record(0));
        }) implements SingleEventSink
        {

            /** @param Closure(Delivery): void $seen */
            public function __construct(private int $takes, private readonly Closure $seen) {}

            public function deliver(Delivery $delivery): void
            {
                if ($this->takes-- <= 0) {
                    throw new RuntimeException('The third is too much.');
                }

                ($this->seen)($delivery);
            }
        };
    }

    /** @param int<1, max> $count */
    private function failure(Sink $sink, int $count): UnableToAppend
    {
        try {
            $this->direct($sink, $count);
        } catch (UnableToAppend $e) {
            return $e;
        }

        self::fail('It was taken.');
    }

    /** @param int<1, max> $count */
    private function direct(Sink $sink, int $count): void
    {
        $factory = new class($sink) implements SinkFactory
        {
            public function __construct(private readonly Sink $sink) {}

            public function make(string $kind, ConfigReader $options): Sink
            {
                return $this->sink;
            }
        };
        $config = SpoolConfig::fromArray([
            'path' => sys_get_temp_dir().'/headroom-nowhere',
            'buckets' => ['a' => ['sink' => 'any']],
        ]);
        $clock = new SystemClock;

        (new DirectWriter($config, new DirectDelivery(new SinkRegistry($factory), $clock), $clock))->deliver(
            'a',
            implode("\n", array_fill(0, $count, '{"n":1}')),
            $count,
        );
    }
}
