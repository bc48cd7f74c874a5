<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Clock;
use Headroom\Core\Permanent;
use Headroom\Core\Retryable;
use Headroom\Core\SystemClock;
use Headroom\Process\Ports;
use Headroom\Sink\Delivery;
use Headroom\Sink\Http\HttpOptions;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\HttpClient\ClientMissing;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Sink\HttpClient\UnreadableAnswer;
use Headroom\Sink\InvalidRecords;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Support\WebhookSignature;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\Certificate;
use Headroom\Tests\Contract\Support\ReceivedRequest;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The requests that the sink sends, and connections that fail.
 */
#[Group('smoke')]
final class HttpSinkConnectionTest extends TestCase
{
    private const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

    private ScriptedServer $server;

    protected function setUp(): void
    {
        $this->server = ScriptedServer::start();
    }

    protected function tearDown(): void
    {
        $this->server->stop();
    }

    #[Test]
    public function a_request_has_a_list_of_events_and_the_delivery_id_as_key(): void
    {
        $delivery = $this->delivery();
        self::assertNull($this->failure($delivery));
        [$request] = $this->server->requests();

        self::assertSame(['POST', '/events'], [$request->method, $request->path]);
        self::assertSame($delivery->id(), $request->headers['idempotency-key']);
        self::assertSame('application/json', $request->headers['content-type']);
        self::assertSame('application/json', $request->headers['accept']);
        self::assertSame('Headroom', $request->headers['user-agent']);
        self::assertSame(['0', '1', '2'], $request->events());
        self::assertStringStartsWith(
            '[{"_id":"'.$delivery->idOf($delivery->batch->record(0))
                .'","_accepted_at":"2025-06-15T15:06:40.000000Z","id":"0"',
            $request->body,
        );
        self::assertSame(
            [],
            array_intersect(
                ['accept-encoding', 'expect', 'webhook-id', 'webhook-signature', 'cookie'],
                array_keys($request->headers),
            ),
        );
    }

    #[Test]
    public function headers_of_the_settings_are_sent_and_may_replace_the_harmless_ones(): void
    {
        $this->failure(
            $this->delivery(),
            $this->sink(['headers' => ['Authorization' => 'Bearer sesame', 'user-agent' => 'Shop', 'X-Flag' => 'é']]),
        );
        [$request] = $this->server->requests();

        self::assertSame(
            ['Bearer sesame', 'Shop', 'é'],
            [$request->headers['authorization'], $request->headers['user-agent'], $request->headers['x-flag']],
        );
    }

    #[Test]
    public function a_signature_is_of_the_very_bytes_and_of_this_try(): void
    {
        $clock = new SetClock(1_784_000_000_000_000);
        $sink = $this->sink(['sign' => self::SECRET], clock: $clock);
        $delivery = $this->delivery();
        $this->server->next(['status' => 500]);
        $this->failure($delivery, $sink);
        $clock->micros += 60_000_000;
        $this->failure($delivery, $sink);
        [$first, $second] = $this->server->requests();

        self::assertSame($first->headers['webhook-id'], $second->headers['webhook-id']);
        self::assertStringNotContainsString('.', $first->headers['webhook-id'], 'The specification joins with dots.');
        self::assertStringContainsString('/crm%2Ecalls/', $first->headers['webhook-id']);
        self::assertSame(
            ['1784000000', '1784000060'],
            [$first->headers['webhook-timestamp'], $second->headers['webhook-timestamp']],
        );
        $key = base64_decode('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true);

        foreach ([$first, $second] as $request) {
            $signed = "{$request->headers['webhook-id']}.{$request->headers['webhook-timestamp']}.{$request->body}";
            self::assertSame(
                'v1,'.base64_encode(hash_hmac('sha256', $signed, $key, true)),
                $request->headers['webhook-signature'],
            );
        }
    }

    #[Test]
    public function while_a_secret_is_replaced_both_sign(): void
    {
        $other = 'whsec_'.base64_encode(str_repeat('k', 24));
        $this->failure($this->delivery(), $this->sink(['sign' => self::SECRET." {$other}"]));
        [$request] = $this->server->requests();
        $of = static fn (string $secret): string => WebhookSignature::of(
            (string) WebhookSignature::key($secret),
            $request->headers['webhook-id'],
            $request->headers['webhook-timestamp'],
            $request->body,
        );

        self::assertSame("{$of(self::SECRET)} {$of($other)}", $request->headers['webhook-signature']);
    }

    #[Test]
    public function a_large_body_goes_without_asking_first(): void
    {
        self::assertNull(
            $this->failure(ContractLog::of('crm')->delivery(array_fill(0, 8, ['text' => str_repeat('x', 500_000)]))),
        );
        [$request] = $this->server->requests();

        self::assertGreaterThan(4_000_000, strlen($request->body));
        self::assertArrayNotHasKey('expect', $request->headers);
        self::assertSame((string) strlen($request->body), $request->headers['content-length']);
    }

    #[Test]
    public function the_connection_is_kept_for_the_next_delivery(): void
    {
        $sink = $this->sink();
        $this->server->next(['body' => str_repeat('x', 10_000)]);
        $this->failure($this->delivery(), $sink);
        $this->server->next(['status' => 500]);
        $this->failure($this->delivery(), $sink);
        $this->failure($this->delivery(), $sink);

        self::assertSame([1, 1, 1], $this->connections());
    }

    #[Test]
    public function a_kept_connection_that_the_server_has_closed_is_replaced_without_a_word(): void
    {
        $sink = $this->sink();
        $this->server->next(['do' => 'leave']);
        self::assertNull($this->failure($this->delivery(), $sink));
        self::assertNull($this->failure($this->delivery(), $sink));

        self::assertSame([1, 2], $this->connections());
        self::assertCount(6, $this->server->events());
    }

    #[Test]
    public function a_request_on_a_closed_connection_is_tried_once_more_with_the_same_key(): void
    {
        $sink = $this->sink();
        $this->failure($this->delivery(), $sink);
        $this->server->next(['do' => 'close', 'keeps' => true]);
        $this->server->always(['honours' => true]);
        self::assertNull($this->failure($this->delivery(), $sink));
        $keys = array_map(
            static fn (ReceivedRequest $request): string => $request->headers['idempotency-key'],
            $this->server->requests(),
        );

        self::assertSame([1, 1, 2], $this->connections());
        self::assertSame($keys[1], $keys[2]);
        self::assertNotSame($keys[0], $keys[1]);
        $this->server->always(['do' => 'close']);
        self::assertInstanceOf(Retryable::class, $this->failure($this->delivery(), $sink), 'Once.');
        self::assertSame([1, 1, 2, 2, 3], $this->connections());
    }

    #[Test, Group('day-1')]
    #[TestWith(['cut', 200, 'HTTP 200'])]
    #[TestWith(['cut', 400, 'HTTP 400'])]
    #[TestWith(['close'])]
    #[TestWith(['only-interim'])]
    #[TestWith(['raw'])]
    public function an_incomplete_answer_counts_as_no_answer(string $do, int $status = 200, string $told = ''): void
    {
        $this->server->next(['do' => $do, 'status' => $status, 'body' => "SSH-2.0-nothing\r\n"]);
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(UnableToSend::class, $failure);
        self::assertStringContainsString($told, $failure->getMessage());
        self::assertCount(1, $this->server->requests());
    }

    #[Test]
    #[TestWith(['hang'])]
    #[TestWith(['drip'])]
    #[TestWith(['trickle', 200, 'HTTP 200'])]
    #[TestWith(['trickle', 422, 'HTTP 422'])]
    public function a_late_answer_counts_as_no_answer(string $do, int $status = 200, string $told = ''): void
    {
        // A machine that is too busy to begin with the answer within tenths of a second is given longer.
        for ($seconds = 0.3; $seconds < 30.0; $seconds *= 4) {
            $this->server->next(['do' => $do, 'status' => $status]);
            $options = HttpOptions::from(
                new ConfigReader(['url' => $this->server->url()], 'spool.buckets.crm'),
                $seconds,
            );
            $failure = $this->failure($this->delivery(), new HttpSink($options, new SystemClock));
            self::assertInstanceOf(UnableToSend::class, $failure);

            if ($this->server->requests() !== [] && str_contains($failure->getMessage(), $told)) {
                self::assertCount(1, $this->server->requests());

                return;
            }

            $this->server->stop();
            $this->server = ScriptedServer::start();
        }

        self::fail('No answer had begun within 20 seconds.');
    }

    #[Test]
    public function a_server_that_hangs_up_over_a_large_request_is_understood_all_the_same(): void
    {
        $this->server->next(['do' => 'cut', 'status' => 413]);

        self::assertInstanceOf(InvalidRecords::class, $this->failure($this->delivery()));
    }

    #[Test]
    public function interim_answers_are_passed_over(): void
    {
        $this->server->next(['do' => 'interim', 'status' => 422]);

        self::assertStringContainsString('HTTP 422', (string) $this->failure($this->delivery())?->getMessage());
    }

    #[Test]
    #[TestWith([200, null])]
    #[TestWith([422, 'HTTP 422'])]
    #[TestWith([503, 'HTTP 503'])]
    #[TestWith([207, '67072'])]
    public function an_answer_without_end_is_read_for_as_long_as_it_is_of_interest(int $status, ?string $message): void
    {
        $sink = $this->sink();
        $this->server->next(['do' => 'endless', 'status' => $status]);
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $failure = $this->failure($this->delivery(), $sink);
        $peak = memory_get_peak_usage() - $before;

        self::assertSame($message === null, $failure === null);
        self::assertStringContainsString((string) $message, (string) $failure?->getMessage());
        self::assertLessThan(4_000_000, $peak);
        self::assertNull($this->failure($this->delivery(), $sink), 'And the next one goes as ever.');
        self::assertLessThan(100_000_000, $this->server->endlessBytes());
        self::assertSame([1, 2], $this->connections());
    }

    #[Test]
    public function an_answer_is_not_decompressed(): void
    {
        $bomb = (string) gzencode('[200,200,200]'.str_repeat(' ', 50_000_000), 9);
        self::assertLessThan(100_000, strlen($bomb));
        $this->server->next([
            'status' => 207,
            'headers' => ['Content-Encoding' => 'gzip'],
            'body64' => base64_encode($bomb),
        ]);
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $failure = $this->failure($this->delivery());

        self::assertInstanceOf(Permanent::class, $failure);
        Sentence::naming(['JSON'], UnreadableAnswer::multiStatus($this->endpoint(), Sentence::ANY, 3), $failure);
        self::assertLessThan(4_000_000, memory_get_peak_usage() - $before);
    }

    #[Test]
    public function parts_are_sent_again_only_within_the_time_of_the_delivery(): void
    {
        $this->server->next(['status' => 207, 'body' => '[200, 503, 200]']);
        // Of 30 seconds, each look at this clock takes 20.
        $failure = $this->failure($this->delivery(), $this->sink(clock: new SteppingClock(perLook: 20_000_000)));

        self::assertInstanceOf(Retryable::class, $failure);
        Sentence::in(UnableToSend::incomplete($this->endpoint(), 1, 3, Sentence::ANY), $failure);
        self::assertCount(1, $this->server->requests());
    }

    #[Test]
    public function a_part_has_what_is_left_of_that_time(): void
    {
        $this->server->next(['status' => 207, 'body' => '[200, 503, 200]']);
        $this->server->next(['do' => 'hang']);
        // 30 seconds, less two looks of 14.6 and the pause.
        $failure = $this->failure($this->delivery(), $this->sink(clock: new SteppingClock(perLook: 14_600_000)));

        self::assertInstanceOf(Retryable::class, $failure);
        self::assertMatchesRegularExpression('/timed out after \d{2,4} milliseconds/', $failure->getMessage());
        self::assertCount(2, $this->server->requests());
    }

    #[Test]
    public function a_closed_port_an_unknown_host_and_missing_tls_are_tried_again(): void
    {
        $silent = 'http://127.0.0.1:'.Ports::free();
        $unknown = 'http://no-such-host.invalid';
        $plain = str_replace('http:', 'https:', $this->server->url(''));

        foreach ([
            $silent => 'connect',
            $unknown => 'resolve|timed out',
            $plain => 'SSL|TLS|timed out',
        ] as $url => $why) {
            $failure = $this->failure($this->delivery(), $this->sink(['url' => "{$url}/sesame", 'timeout' => 2]));

            self::assertInstanceOf(Retryable::class, $failure);
            $reason = Sentence::in(UnableToSend::noAnswer($this->endpoint($url), Sentence::ANY), $failure);
            self::assertMatchesRegularExpression("~{$why}~i", $reason);
            self::assertStringNotContainsString('sesame', $failure->getMessage());
        }
    }

    #[Test]
    public function a_server_with_an_untrusted_certificate_gets_no_event(): void
    {
        $server = ScriptedServer::start(Certificate::selfSigned());

        try {
            $failure = $this->failure($this->delivery(), $this->sink(['url' => $server->url()]));
            self::assertInstanceOf(Retryable::class, $failure);
            self::assertStringContainsString('certificate', $failure->getMessage());
            self::assertSame([], $server->requests());
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function a_certificate_that_the_machine_trusts_is_taken(): void
    {
        $pem = Certificate::selfSigned();
        $server = ScriptedServer::start($pem);
        $trusted = sys_get_temp_dir().'/headroom-trusted-'.bin2hex(random_bytes(6)).'.pem';
        file_put_contents($trusted, $pem);

        try {
            $told = $this->elsewhere($server->url(), ['-d', "curl.cainfo={$trusted}"]);
            self::assertSame('arrived', $told);
            self::assertCount(1, $server->events());
        } finally {
            unlink($trusted);
            $server->stop();
        }
    }

    #[Test]
    public function without_guzzle_one_error_names_the_command(): void
    {
        $told = $this->elsewhere($this->server->url(), [], 'GuzzleHttp\\');

        self::assertStringContainsString(ClientMissing::class.': '.ClientMissing::guzzle()->getMessage(), $told);
        self::assertStringContainsString('`composer require guzzlehttp/guzzle`', $told);
        self::assertMatchesRegularExpression('/^health: .*\bGuzzle\b/m', $told);
        self::assertSame([], $this->server->requests());
    }

    /** @return list<int> of each request */
    private function connections(): array
    {
        return array_map(static fn (ReceivedRequest $request): int => $request->connection, $this->server->requests());
    }

    private function delivery(): Delivery
    {
        return ContractLog::of('crm.calls')
            ->delivery(array_map(static fn (int $id): array => ['id' => (string) $id], range(0, 2)));
    }

    private function failure(Delivery $delivery, ?HttpSink $sink = null): ?UnableToDeliver
    {
        try {
            ($sink ?? $this->sink())->deliver($delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        return null;
    }

    /** @param array<string, mixed> $options */
    private function sink(array $options = [], ?Clock $clock = null): HttpSink
    {
        return HttpSink::fromOptions(
            new ConfigReader(['url' => $this->server->url(), 'timeout' => 30, ...$options], 'spool.buckets.crm'),
            $clock ?? new SystemClock,
        );
    }

    /**
     * One event, from a process of its own.
     *
     * @param list<string> $settings of PHP
     * @param string $missing classes that cannot be loaded there
     */
    private function elsewhere(string $url, array $settings, string $missing = '-'): string
    {
        $process = new Process([
            PHP_BINARY, ...$settings, __DIR__.'/Support/fixtures/deliver-over-http.php', $url, $missing,
        ]);

        return $process->mustRun()->getOutput();
    }

    private function endpoint(?string $url = null): Endpoint
    {
        return Endpoint::fromOptions(
            new ConfigReader(['url' => $url ?? $this->server->url()], 'spool.buckets.crm'),
            'url',
        );
    }
}
