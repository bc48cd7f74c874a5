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
 * Sends requests, one at a time or several concurrently, and reuses the connections.
 *
 * It follows no redirect, decompresses no response and keeps no cookie. The time limit covers the whole exchange, from
 * the DNS lookup to the last byte of the response. If the server has closed a reused connection before the first byte
 * of a response, curl sends the request again on a new connection. Like any retry, this one has the same
 * Idempotency-Key.
 *
 * @internal
 */
final class HttpClient
{
    /** How long curl waits for network activity before the other requests get their turn. */
    private const SELECT_SECONDS = 0.05;

    private ?Client $client = null;

    private ?CurlMultiHandler $multi = null;

    private ?Client $concurrentClient = null;

    /** Returns null if Guzzle and curl are installed. */
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
     * @param Closure(int): int $maxBytes how many bytes to read of a response with the given status;
     *     reading stops there
     *
     * @throws UnableToSend|ClientMissing
     */
    public function post(
        Endpoint $to,
        #[SensitiveParameter] array $headers,
        string $body,
        float $seconds,
        Closure $maxBytes,
    ): HttpResponse {
        return $this->send('POST', $to, $headers, $body, $seconds, $maxBytes);
    }

    /**
     * @param array<string, string> $headers
     * @param float $seconds above 0
     * @param Closure(int): int $maxBytes as for post()
     *
     * @throws UnableToSend|ClientMissing
     */
    public function send(
        string $method,
        Endpoint $to,
        #[SensitiveParameter] array $headers,
        string $body,
        float $seconds,
        Closure $maxBytes,
    ): HttpResponse {
        $reader = new ResponseReader($maxBytes);
        $failure = null;

        try {
            $this->client()->send(new Request($method, $to->url, $headers, $body), self::settings($reader, $seconds));
        } catch (GuzzleException|InvalidArgumentException $e) {
            $failure = self::reason($e);
        }

        return $reader->answer($to, $failure);
    }

    /**
     * Returns before the response has arrived, so that several requests can run concurrently.
     *
     * @param array<string, string> $headers
     * @param float $seconds above 0
     * @param Closure(int): int $maxBytes as for post()
     *
     * @throws UnableToSend|ClientMissing
     */
    public function start(
        Endpoint $to,
        #[SensitiveParameter] array $headers,
        string $body,
        float $seconds,
        Closure $maxBytes,
    ): PendingRequest {
        $reader = new ResponseReader($maxBytes);

        try {
            $promise = $this->concurrentClient()->sendAsync(
                new Request('POST', $to->url, $headers, $body),
                [...self::settings($reader, $seconds), 'progress' => $reader->progress(...)],
            );
        } catch (GuzzleException|InvalidArgumentException $e) {
            throw UnableToSend::noAnswer($to, self::reason($e));
        }

        $handler = $this->multi ?? throw new LogicException('concurrentClient() has not made the handler.');

        return new PendingRequest($to, $reader, $promise, static fn () => $handler->tick(), self::reason(...));
    }

    /**
     * @return array{
     *     timeout: float, connect_timeout: float, decode_content: bool, protocols: non-empty-array<string>,
     *     _body_as_string: bool, on_headers: Closure, sink: StreamInterface,
     * }
     */
    private static function settings(ResponseReader $reader, float $seconds): array
    {
        return [
            'timeout' => max(0.001, $seconds),
            'connect_timeout' => max(0.001, $seconds),
            'decode_content' => false,
            'protocols' => ['http', 'https'],
            // With a stream, curl sends "Expect: 100-continue" before a large body, and not every server understands
            // it.
            '_body_as_string' => true,
            'on_headers' => $reader->onHeaders(...),
            'sink' => FnStream::decorate(Utils::streamFor(''), ['write' => $reader->write(...)]),
        ];
    }

    private function concurrentClient(): Client
    {
        if (self::missing() !== null) {
            throw self::missing();
        }

        $this->multi ??= new CurlMultiHandler(['select_timeout' => self::SELECT_SECONDS]);

        return $this->concurrentClient ??= new Client(['handler' => $this->multi]);
    }

    private function client(): Client
    {
        // No middleware of Guzzle: it would follow redirects, throw on error statuses and add headers.
        return $this->client ??= self::missing() === null
            ? new Client(['handler' => new CurlHandler])
            : throw self::missing();
    }

    /** Returns curl's message, which names hosts but no paths. The rest of Guzzle's message contains the whole URL. */
    private static function reason(GuzzleException|InvalidArgumentException $e): string
    {
        if (preg_match('/\AcURL error (\d+): (.*?) ?\(see /s', $e->getMessage(), $m) === 1) {
            return TerminalText::name($m[2] !== '' ? $m[2] : (string) curl_strerror((int) $m[1]), 200);
        }

        return $e instanceof InvalidArgumentException
            ? 'Guzzle rejects the url or a header'
            : 'the response is not HTTP';
    }
}
