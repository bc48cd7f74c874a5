<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use ArrayObject;
use Error;
use Headroom\Core\Retryable;
use Headroom\Sink\Callback\BatchHandlerSink;
use Headroom\Sink\Callback\HandlerFailed;
use Headroom\Sink\Rejected;
use Headroom\Sink\Sink;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Testing\Arrived;
use Headroom\Testing\AtLeastOnceContract;
use Headroom\Tests\Contract\Support\Handlers\Obstacle;
use Headroom\Tests\Fault\Support\Later;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;
use Throwable;

/**
 * The contract of a handler of either kind.
 */
abstract class CallContract extends AtLeastOnceContract
{
    /** @var ArrayObject<int, Arrived> */
    private ArrayObject $arrivals;

    private Obstacle $obstacle;

    /** @return class-string */
    abstract protected static function handler(): string;

    protected function setUp(): void
    {
        $this->arrivals = new ArrayObject;
        $this->obstacle = new Obstacle;
    }

    public function createSink(): Sink
    {
        return BatchHandlerSink::fromOptions(
            new ConfigReader(['handler' => static::handler()], 'spool.buckets.contract'),
            fn (string $class): object => new $class($this->arrivals, $this->obstacle),
            static fn (Throwable $failure): ?string => $failure->getCode() === 550 ? 'No such box.' : null,
            static fn (Throwable $failure): string => $failure->getMessage(),
        );
    }

    public function arrived(): array
    {
        return array_values($this->arrivals->getArrayCopy());
    }

    public function obstruct(): void
    {
        $this->obstacle->failure = new RuntimeException('the other side is away');
    }

    public function clear(): void
    {
        $this->obstacle->failure = null;
    }

    #[Test]
    public function an_exception_of_a_handler_is_retryable_and_names_the_handler(): void
    {
        foreach ([new RuntimeException('away'), new Error('Call to a member function send() on null')] as $thrown) {
            $failure = $this->thrown($thrown);

            self::assertInstanceOf(Retryable::class, $failure);
            self::assertSame($thrown, $failure->getPrevious());
            self::assertEquals(HandlerFailed::with(static::handler(), $thrown, $thrown->getMessage()), $failure);
            self::assertMatchesRegularExpression('/\bCallContract\.php:\d+/', $failure->getMessage());
            self::assertStringContainsString($thrown->getMessage(), $failure->getMessage());
        }
    }

    #[Test]
    public function a_failure_that_a_handler_declares_itself_is_passed_on(): void
    {
        $rejected = Rejected::because('There is no such customer.');
        $later = Later::in(7);

        self::assertSame($rejected, $this->thrown($rejected));
        self::assertSame($later, $this->thrown($later));
    }

    #[Test]
    public function an_exception_that_the_application_calls_a_refusal_is_one(): void
    {
        $failure = $this->thrown(new RuntimeException('550', 550));

        self::assertInstanceOf(Rejected::class, $failure);
        self::assertSame('No such box.', $failure->getMessage());
    }

    private function thrown(Throwable $failure): UnableToDeliver
    {
        $this->obstacle->failure = $failure;

        return $this->failureOf($this->createSink(), $this->log()->delivery([$this->row('a')]));
    }
}
