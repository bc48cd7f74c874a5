<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\SystemClock;
use Headroom\Sink\ClickHouse\ClickHouseSink;
use Headroom\Sink\ClickHouse\InsertRefused;
use Headroom\Sink\ClickHouse\SomeRowsRefused;
use Headroom\Sink\ClickHouse\TableRefused;
use Headroom\Sink\HttpClient\EndpointRefused;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Sink\HttpClient\UnreadableAnswer;
use Headroom\Sink\RetryLater;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Support\Dug;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * How the sink takes answers that a real server cannot be made to give.
 */
#[Group('smoke')]
final class ClickHouseSinkAnswersTest extends TestCase
{
    private ScriptedServer $server;

    protected function setUp(): void
    {
        $this->server = ScriptedServer::start();
        // It would look for a list of events in what it was sent.
        $this->server->always(['keeps' => false]);
    }

    protected function tearDown(): void
    {
        $this->server->stop();
    }

    #[Test]
    public function a_request_is_one_insert_with_a_line_for_each_event(): void
    {
        self::assertNull($this->failure());
        [$request] = $this->server->requests();

        self::assertSame(
            '/?query=INSERT+INTO+%60db%60.%60events%60+FORMAT+JSONEachRow&date_time_input_format=best_effort',
            $request->path,
        );
        self::assertCount(3, explode("\n", $request->body));
        self::assertSame(1, Dug::json(explode("\n", $request->body)[0], 'n'));
        self::assertSame('Basic '.base64_encode('ada:pass-phrase'), $request->headers['authorization']);
    }

    #[Test]
    public function on_a_line_it_is_compressed(): void
    {
        self::assertNull($this->failure(['url' => "http://0.0.0.0:{$this->server->port}"], 200));
        self::assertSame('gzip', $this->server->requests()[0]->headers['content-encoding']);
        self::assertCount(201, explode("\n", $this->server->requests()[0]->body));
    }

    /** @param class-string<UnableToDeliver> $expected */
    #[Test, Group('day-1')]
    #[TestWith([252, UnableToSend::class])]
    #[TestWith([241, UnableToSend::class])]
    #[TestWith([159, UnableToSend::class])]
    #[TestWith([160, UnableToSend::class])]
    #[TestWith([210, UnableToSend::class])]
    #[TestWith([999, UnableToSend::class])]
    #[TestWith([26, InsertRefused::class])]
    #[TestWith([27, InsertRefused::class])]
    #[TestWith([117, InsertRefused::class])]
    #[TestWith([60, TableRefused::class])]
    #[TestWith([81, TableRefused::class])]
    #[TestWith([192, TableRefused::class])]
    #[TestWith([193, TableRefused::class])]
    #[TestWith([194, TableRefused::class])]
    #[TestWith([516, TableRefused::class])]
    public function an_exception_is_sorted_by_its_code(int $code, string $expected): void
    {
        $this->server->always([
            'status' => 500,
            'body' => "Code: {$code}, e.displayText() = DB::Exception: confidential, e.what() = DB::Exception",
            'keeps' => false,
        ]);
        $failure = $this->failure();

        self::assertInstanceOf($expected, $failure);
        self::assertStringContainsString((string) $code, $failure->getMessage());
        self::assertStringNotContainsString('confidential', $failure->getMessage());
        self::assertStringNotContainsString('pass-phrase', $failure->getMessage());
    }

    #[Test]
    public function an_exception_in_the_words_of_newer_versions_is_sorted_too(): void
    {
        $this->server->next([
            'status' => 400,
            'body' => "Code: 27. DB::Exception: Cannot parse input: expected ',' before: 'confidential': (at row 2)\n:"
                .' While executing',
            'keeps' => false,
        ]);
        $this->server->next([
            'status' => 400,
            'body' => 'Code: 27. DB::Exception: Cannot parse input',
            'keeps' => false,
        ]);
        $failure = $this->failure(events: 3);

        self::assertInstanceOf(SomeRowsRefused::class, $failure);
        self::assertCount(3, $this->server->requests(), 'All, that one, and all others.');
        self::assertSame(
            [2, 1],
            array_map(
                static fn (string $line): mixed => Dug::json($line, 'n'),
                [
                    explode("\n", $this->server->requests()[1]->body)[0],
                    explode("\n", $this->server->requests()[2]->body)[0],
                ],
            ),
        );
    }

    #[Test]
    public function a_hint_that_is_wrong_costs_no_event(): void
    {
        $this->server->next([
            'status' => 400,
            'body' => 'Code: 27. DB::Exception: Cannot parse input: (at row 2)',
            'keeps' => false,
        ]);

        self::assertInstanceOf(
            InsertRefused::class,
            $this->failure(events: 3),
            'The row it named was taken when it came alone.',
        );
    }

    #[Test]
    public function a_success_with_an_unexpected_body_is_a_failure(): void
    {
        $this->server->next(['status' => 200, 'body' => '<html>Welcome</html>', 'keeps' => false]);
        self::assertInstanceOf(UnreadableAnswer::class, $this->failure());
        $this->server->next(['status' => 204, 'keeps' => false]);
        self::assertInstanceOf(UnreadableAnswer::class, $this->failure());
        $this->server->next([
            'status' => 200,
            'body' => 'Code: 252, e.displayText() = DB::Exception: Too many parts',
            'keeps' => false,
        ]);
        self::assertInstanceOf(UnableToSend::class, $this->failure());
    }

    #[Test]
    public function answers_of_a_proxy_in_between_are_understood_too(): void
    {
        $this->server->next(['status' => 503, 'headers' => ['Retry-After' => '9']]);
        $failure = $this->failure();
        self::assertInstanceOf(RetryLater::class, $failure);
        self::assertSame(9, $failure->retryAfter());
        $this->server->next(['status' => 403]);
        self::assertInstanceOf(EndpointRefused::class, $this->failure());
        $this->server->next(['do' => 'cut']);
        self::assertInstanceOf(UnableToSend::class, $this->failure());
    }

    /** @param array<string, mixed> $options */
    #[Test, Group('day-2')]
    #[TestWith([['table' => 'events; DROP TABLE x'], 'table'])]
    #[TestWith([['table' => 'a.b.c'], 'table'])]
    #[TestWith([['table' => '`x`'], 'table'])]
    #[TestWith([['url' => 'http://ada:sesame@127.0.0.1:1/?query=x'], 'url'])]
    #[TestWith([['auth' => ['basic' => null]], 'auth.basic'])]
    #[TestWith([['auth' => 'sesame'], 'auth'])]
    #[TestWith([['auth' => ['digest' => 'sesame']], 'auth'])]
    #[TestWith([['auth' => null], 'auth'])]
    #[TestWith([['id' => []], 'id'])]
    #[TestWith([['index' => 'x'], 'index'])]
    public function settings_that_cannot_be_right_are_refused_without_showing_a_secret(
        array $options,
        string $key,
    ): void {
        try {
            $this->sink($options);
            self::fail('It was taken.');
        } catch (InvalidConfig $e) {
            self::assertSame("spool.buckets.events.{$key}", $e->key);
            self::assertStringNotContainsString('sesame', $e->getMessage());
        }
    }

    /**
     * @param array<string, mixed> $options
     *
     * @phpstan-impure
     */
    private function failure(array $options = [], int $events = 2): ?UnableToDeliver
    {
        try {
            $this->sink($options)->deliver(ContractLog::of('events')->delivery(array_map(
                static fn (int $n): array => ['n' => $n],
                range(1, max(1, $events)),
            )));
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        return null;
    }

    /** @param array<string, mixed> $options */
    private function sink(array $options): ClickHouseSink
    {
        return ClickHouseSink::fromOptions(
            new ConfigReader(
                [
                    'url' => "http://127.0.0.1:{$this->server->port}",
                    'table' => 'db.events',
                    'auth' => ['basic' => 'ada:pass-phrase'],
                    ...$options,
                ],
                'spool.buckets.events',
            ),
            new SystemClock,
        );
    }
}
