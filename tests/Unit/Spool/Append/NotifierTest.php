<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Append;

use Closure;
use Headroom\Spool\Append\Notifier;
use Headroom\Spool\Events\BucketPaused;
use Headroom\Spool\Events\BucketResumed;
use Headroom\Tests\Support\TimedClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Psr\Log\AbstractLogger;
use Psr\Log\LoggerInterface;
use RuntimeException;
use Stringable;
use Throwable;

final class NotifierTest extends TestCase
{
    /** @var list<object> */
    private array $heard = [];

    /** @var list<array{string, mixed}> */
    private array $logged = [];

    #[Test]
    public function without_a_dispatcher_nothing_listens(): void
    {
        $notifier = new Notifier;
        $notifier->notify(new BucketPaused('a'));

        self::assertFalse($notifier->listens(BucketPaused::class));
        self::assertFalse((new Notifier(null, $this->hear(...)))->onlyLogger()->listens(BucketPaused::class));
    }

    #[Test]
    public function only_events_with_a_listener_are_dispatched(): void
    {
        $notifier = new Notifier(
            null,
            $this->hear(...),
            static fn (string $event): bool => $event === BucketPaused::class,
        );
        $notifier->notify(new BucketPaused('a'));
        $notifier->notify(new BucketResumed('a'));

        self::assertEquals([new BucketPaused('a')], $this->heard);
    }

    #[Test]
    public function during_its_listeners_an_event_is_not_dispatched_again(): void
    {
        $notifier = new Notifier(null, function (object $event) use (&$notifier): void {
            $this->hear($event);
            self::assertInstanceOf(Notifier::class, $notifier);
            $notifier->notify(new BucketPaused('nested'));
            $notifier->notify(new BucketResumed('nested'));
        });
        $notifier->notify(new BucketPaused('a'));
        $notifier->notify(new BucketPaused('b'));

        self::assertEquals([
            new BucketPaused('a'), new BucketResumed('nested'), new BucketPaused('b'), new BucketResumed('nested'),
        ], $this->heard);
    }

    #[Test]
    public function failures_of_listeners_are_logged_once_a_minute_and_event(): void
    {
        $clock = new TimedClock;
        $notifier = new Notifier(
            $this->logger(...),
            static fn (object $event): never => throw new RuntimeException('No.'),
            clock: $clock,
        );

        foreach ([0, 1, 1, 1, 57, 1] as $seconds) {
            $clock->sleep($seconds * 1_000_000);
            $notifier->notify(new BucketPaused('a'));
        }

        $notifier->notify(new BucketResumed('a'));

        self::assertCount(3, $this->logged);
        self::assertStringContainsString(BucketPaused::class, $this->logged[0][0]);
        self::assertStringContainsString('RuntimeException: No.', $this->logged[0][0]);
        self::assertDoesNotMatchRegularExpression('/\d/', $this->logged[0][0]);
        self::assertMatchesRegularExpression('/\b3\b/', $this->logged[1][0]);
        self::assertStringContainsString(BucketResumed::class, $this->logged[2][0]);
        self::assertInstanceOf(RuntimeException::class, $this->logged[0][1]);
    }

    #[Test]
    public function a_dispatcher_that_cannot_be_made_is_logged(): void
    {
        $notifier = new Notifier(
            $this->logger(...),
            $this->hear(...),
            static fn (string $event): never => throw new RuntimeException('It is not bound.'),
        );
        $notifier->notify(new BucketPaused('a'));

        self::assertSame([], $this->heard);
        self::assertStringContainsString('It is not bound.', $this->logged[0][0]);
    }

    #[Test]
    public function a_log_that_fails_too_is_no_failure_of_the_caller(): void
    {
        $before = ini_set('error_log', '/dev/null');

        try {
            (new Notifier(
                static fn (): never => throw new RuntimeException('The log is gone.'),
                static fn (object $event): never => throw new RuntimeException('No.'),
            ))->notify(new BucketPaused('a'));
            $failure = null;
        } catch (Throwable $failure) {
        } finally {
            ini_set('error_log', (string) $before);
        }

        self::assertNull($failure);
    }

    private function hear(object $event): void
    {
        $this->heard[] = $event;
    }

    private function logger(): LoggerInterface
    {
        return new class($this->log(...)) extends AbstractLogger
        {
            /** @param Closure(string, mixed): void $log */
            public function __construct(private readonly Closure $log) {}

            public function log($level, string|Stringable $message, array $context = []): void
            {
                ($this->log)((string) $message, $context['exception'] ?? null);
            }
        };
    }

    private function log(string $message, mixed $exception): void
    {
        $this->logged[] = [$message, $exception];
    }
}
