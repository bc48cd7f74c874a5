<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\HttpClient;

use Closure;
use Error;
use GuzzleHttp\Exception\GuzzleException;
use GuzzleHttp\Promise\Create;
use GuzzleHttp\Promise\Promise;
use GuzzleHttp\Promise\PromiseInterface;
use GuzzleHttp\Psr7\Response;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\PendingRequest;
use Headroom\Sink\HttpClient\ResponseReader;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Support\ConfigReader;
use LogicException;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;
use Throwable;

/**
 * Each answer here began with 200 and has its body; what differs is how its transfer ends.
 */
#[Group('smoke')]
final class PendingRequestTest extends TestCase
{
    #[Test]
    public function a_transfer_that_ended_well_is_an_answer(): void
    {
        $promise = new Promise;
        $ticks = 0;
        $exchange = self::exchange($promise, tick: static function () use ($promise, &$ticks): void {
            if (++$ticks === 3) {
                $promise->resolve(new Response(200));
            }
        });

        self::assertSame([200, 'half', 3], [$exchange->answer()->status, $exchange->answer()->body, $ticks]);
    }

    /** @return iterable<string, array{Closure(Throwable): array{PromiseInterface, Closure(): void}}> */
    public static function endings(): iterable
    {
        yield 'before it is asked for' => [static fn (Throwable $why): array => [
            Create::rejectionFor($why), static fn () => null,
        ]];
        yield 'while it is waited for' => [static function (Throwable $why): array {
            $promise = new Promise;

            return [$promise, static fn () => $promise->reject($why)];
        }];
        // A handler of Guzzle calls its promise fulfilled then, by another one that is rejected.
        yield 'in a promise within' => [static function (Throwable $why): array {
            $promise = new Promise;

            return [$promise, static fn () => $promise->resolve(Create::rejectionFor($why))];
        }];
    }

    /** @param Closure(Throwable): array{PromiseInterface, Closure(): void} $ends */
    #[Test]
    #[DataProvider('endings')]
    public function a_transfer_that_broke_off_is_no_answer(Closure $ends): void
    {
        [$promise, $tick] = $ends(self::failure());

        $this->expectException(UnableToSend::class);
        $this->expectExceptionMessage('lines were cut');
        self::exchange($promise, $tick)->answer();
    }

    /** @param Closure(Throwable): array{PromiseInterface, Closure(): void} $ends */
    #[Test]
    #[DataProvider('endings')]
    public function a_transfer_whose_failure_cannot_be_explained_is_no_answer(Closure $ends): void
    {
        [$promise, $tick] = $ends(self::failure());

        $this->expectExceptionObject(new LogicException('there is no such method'));
        self::exchange($promise, $tick, static fn () => throw new LogicException('there is no such method'))->answer();
    }

    /** @param Closure(Throwable): array{PromiseInterface, Closure(): void} $ends */
    #[Test]
    #[DataProvider('endings')]
    public function an_error_that_is_no_failure_of_a_transfer_goes_through(Closure $ends): void
    {
        [$promise, $tick] = $ends(new Error('a fault in the code'));

        $this->expectException(Error::class);
        $this->expectExceptionMessage('a fault in the code');
        self::exchange($promise, $tick)->answer();
    }

    /**
     * @param Closure(): void $tick
     * @param ?Closure(Throwable): string $reason
     */
    private static function exchange(PromiseInterface $promise, Closure $tick, ?Closure $reason = null): PendingRequest
    {
        $reception = new ResponseReader(static fn (): int => 100);
        $reception->onHeaders(new Response(200));
        $reception->write('half');
        $to = Endpoint::fromOptions(new ConfigReader(['url' => 'http://127.0.0.1:9/events'], 'sinks.own'), 'url');

        return new PendingRequest(
            $to,
            $reception,
            $promise,
            $tick,
            $reason ?? static fn (Throwable $e): string => $e->getMessage(),
        );
    }

    private static function failure(): Throwable
    {
        return new class('lines were cut') extends RuntimeException implements GuzzleException {};
    }
}
