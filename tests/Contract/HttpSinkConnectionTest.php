<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\Permanent;
use Headroom\Core\Retryable;
use Headroom\Core\SystemClock;
use Headroom\Process\Ports;
use Headroom\Sink\Http\HttpOptions;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\HttpClient\ClientMissing;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Sink\HttpClient\UnreadableAnswer;
use Headroom\Sink\InvalidRecords;
use Headroom\Support\ConfigReader;
use Headroom\Tests\Contract\Support\Certificate;
use Headroom\Tests\Contract\Support\ReceivedRequest;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Contract\Support\SendsOverHttp;
use Headroom\Tests\Laravel\Support\SteppingClock;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Connections that are kept, that fail, and that are not trusted.
 */
#[Group('smoke')]
final class HttpSinkConnectionTest extends TestCase
{
    use SendsOverHttp;

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
}
