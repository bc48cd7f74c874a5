<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Closure;
use GuzzleHttp\Client;
use GuzzleHttp\Exception\GuzzleException;
use GuzzleHttp\Handler\CurlHandler;
use GuzzleHttp\Handler\CurlMultiHandler;
use GuzzleHttp\Psr7\FnStream;
use GuzzleHttp\Psr7\Request;
use GuzzleHttp\Psr7\Utils;
use Headroom\Support\TerminalText;
use InvalidArgumentException;
use LogicException;
use Psr\Http\Message\StreamInterface;
use SensitiveParameter;

/**
 * Sends one request at a time, or lets some be under way, and keeps the connections for the next ones.
 *
 * No redirect is followed, no answer is decompressed, no cookie is kept. The time limit is that of the whole exchange, from
 * looking up the host to the last byte of the answer. When a connection that was kept turns out to be closed before a
 * byte of an answer came, curl sends the request once more on a new one: with the same Idempotency-Key, as any retry.
 *
 * @internal
 */
final class HttpClient
{
    /** How long it is waited for something to happen on the wire before the others are looked at again. */
    private const SELECT_SECONDS = 0.05;

    private ?Client $client = null;

    private ?CurlMultiHandler $multi = null;

    private ?Client $several = null;

    /** Null when there is what it takes. */
    public static function missing(): ?ClientMissing
    {
        return match (true) {
            ! class_exists(Client::class) => ClientMissing::guzzle(),
            ! extension_loaded('curl') => ClientMissing::curl(),
            default => null,
        };
    }

    /**
     * @param array<string, string> $headers
     * @param float $seconds above 0
     * @param Closure(int): int $most how many bytes of an answer with that status are wanted; when there are more, reading ends there
     *
     * @throws UnableToSend|ClientMissing
     */
    public function post(Endpoint $to, #[SensitiveParameter] array $headers, string $body, float $seconds, Closure $most): HttpResponse
    {
        return $this->send('POST', $to, $headers, $body, $seconds, $most);
    }

    /**
     * As post(), with another method.
     *
     * @param array<string, string> $headers
     * @param Closure(int): int $most
     *
     * @throws UnableToSend|ClientMissing
     */
    public function send(string $method, Endpoint $to, #[SensitiveParameter] array $headers, string $body, float $seconds, Closure $most): HttpResponse
    {
        $reception = new ResponseReader($most);
        $failure = null;

        try {
            $this->client()->send(new Request($method, $to->url, $headers, $body), self::settings($reception, $seconds));
        } catch (GuzzleException|InvalidArgumentException $e) {
            $failure = self::reason($e);
        }

        return $reception->answer($to, $failure);
    }

    /**
     * Returns before the answer is there, so that several may be under way.
     *
     * @param array<string, string> $headers
     * @param float $seconds above 0
     * @param Closure(int): int $most as for post()
     *
     * @throws UnableToSend|ClientMissing
     */
    public function begin(Endpoint $to, #[SensitiveParameter] array $headers, string $body, float $seconds, Closure $most): PendingRequest
    {
        $reception = new ResponseReader($most);

        try {
            $promise = $this->severalAtOnce()->sendAsync(new Request('POST', $to->url, $headers, $body), [...self::settings($reception, $seconds), 'progress' => $reception->progress(...)]);
        } catch (GuzzleException|InvalidArgumentException $e) {
            throw UnableToSend::noAnswer($to, self::reason($e));
        }

        $handler = $this->multi ?? throw new LogicException('It was made a line above.');

        return new PendingRequest($to, $reception, $promise, static fn () => $handler->tick(), self::reason(...));
    }

    /**
     * @return array{
     *     timeout: float, connect_timeout: float, decode_content: bool, protocols: non-empty-array<string>,
     *     _body_as_string: bool, on_headers: Closure, sink: StreamInterface,
     * }
     */
    private static function settings(ResponseReader $reception, float $seconds): array
    {
        return [
            'timeout' => max(0.001, $seconds),
            'connect_timeout' => max(0.001, $seconds),
            'decode_content' => false,
            'protocols' => ['http', 'https'],
            // Otherwise a large one is asked for first (100-continue), which not every server understands.
            '_body_as_string' => true,
            'on_headers' => $reception->begin(...),
            'sink' => FnStream::decorate(Utils::streamFor(''), ['write' => $reception->write(...)]),
        ];
    }

    private function severalAtOnce(): Client
    {
        if (self::missing() !== null) {
            throw self::missing();
        }

        $this->multi ??= new CurlMultiHandler(['select_timeout' => self::SELECT_SECONDS]);

        return $this->several ??= new Client(['handler' => $this->multi]);
    }

    private function client(): Client
    {
        // Without Guzzle's middleware, which would follow, throw and add.
        return $this->client ??= self::missing() === null ? new Client(['handler' => new CurlHandler]) : throw self::missing();
    }

    /** In curl's words, which name hosts and never paths. The rest of Guzzle's message has the whole address in it. */
    private static function reason(GuzzleException|InvalidArgumentException $e): string
    {
        if (preg_match('/\AcURL error (\d+): (.*?) ?\(see /s', $e->getMessage(), $m) === 1) {
            return TerminalText::name($m[2] !== '' ? $m[2] : (string) curl_strerror((int) $m[1]), 200);
        }

        return $e instanceof InvalidArgumentException
            ? 'Guzzle takes offence at its url or at a header'
            : 'what came is no answer of HTTP';
    }
}
