<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Exception;
use Headroom\Core\HeadroomException;
use Headroom\Support\TerminalText;

use function implode;
use function strlen;
use function strtoupper;
use function substr;

/**
 * The reason why a whole request is rejected.
 *
 * @internal
 */
final class RequestError extends Exception implements HeadroomException
{
    private const EVENTS = 'application/json, application/x-ndjson, '
        .'application/cloudevents+json, application/cloudevents-batch+json';

    private const CREATE = 'Create one with `headroom:collect:key create NAME`.';

    /**
     * @param array<string, string> $headers
     * @param array<string, mixed> $members further members of the response
     * @param ?int<400, 599> $status if the code allows several
     */
    private function __construct(
        public readonly ErrorCode $reason,
        string $message,
        public readonly array $headers = [],
        public readonly array $members = [],
        public readonly ?int $status = null,
    ) {
        parent::__construct(TerminalText::line($message));
    }

    /** @param ?string $nearest a similar path that exists */
    public static function unknownPath(string $path, ?string $nearest = null): self
    {
        $hint = $nearest === null ? 'Send events to POST /v1/events.' : "Did you mean {$nearest}?";

        return new self(
            ErrorCode::UnknownPath,
            "The path '".TerminalText::name($path)."' does not exist. {$hint} GET /v1/version lists all paths.",
        );
    }

    /** @param string $path of OpenTelemetry's traces or metrics */
    public static function notOfLogs(string $path): self
    {
        $kind = substr($path, strlen('/v1/'));
        $variable = 'OTEL_'.strtoupper($kind).'_EXPORTER';

        return new self(
            ErrorCode::UnknownPath,
            "The collector stores OpenTelemetry logs (/v1/logs), not {$kind}. Set {$variable}=none.",
        );
    }

    /** @param list<string> $allowed */
    public static function method(string $method, array $allowed): self
    {
        return new self(
            ErrorCode::MethodNotAllowed,
            "The method '".TerminalText::name($method, 20)."' is not allowed here. Use ".implode(', ', $allowed).'.',
            ['Allow' => implode(', ', $allowed)],
        );
    }

    public static function noKey(): self
    {
        return new self(
            ErrorCode::NoKey,
            'The request has no API key. Send it as `Authorization: Bearer KEY`. '.self::CREATE,
            ['WWW-Authenticate' => 'Bearer realm="headroom"'],
        );
    }

    public static function unknownKey(): self
    {
        return new self(ErrorCode::UnknownKey, 'The API key is unknown. '.self::CREATE, self::challenge());
    }

    public static function expiredKey(string $name, string $since): self
    {
        return new self(
            ErrorCode::ExpiredKey,
            "The API key '{$name}' has expired ({$since}). ".self::CREATE,
            self::challenge(),
        );
    }

    public static function revokedKey(string $name): self
    {
        return new self(ErrorCode::RevokedKey, "The API key '{$name}' was revoked. ".self::CREATE, self::challenge());
    }

    public static function badSignature(): self
    {
        return new self(
            ErrorCode::BadSignature,
            'The webhook signature is missing, wrong or expired. Sign the bytes of the body as Standard Webhooks 1.0'
                .' specifies.',
            ['WWW-Authenticate' => 'Webhook-Signature'],
        );
    }

    public static function origin(?string $origin): self
    {
        return new self(
            ErrorCode::OriginNotAllowed,
            $origin === null
                ? 'This key is limited to certain origins, and the request has no Origin header.'
                    .' Send it from a page of one of'
                    .' them, or use a key without origins.'
                : "The origin '".TerminalText::name($origin)
                    ."' is not allowed to send events. Add it to collector.intake.origins, or to the key.",
        );
    }

    public static function bodyTooLarge(int $limit, bool $isInflated = false): self
    {
        return new self(
            ErrorCode::BodyTooLarge,
            "The body is larger than {$limit} bytes".($isInflated ? ' after decompression' : '')
                .'. Send smaller batches.',
            members: ['limit' => $limit],
        );
    }

    public static function storesTooLarge(int $limit): self
    {
        return new self(
            ErrorCode::BodyTooLarge,
            "The events of this request exceed {$limit} bytes in the buffer. Send smaller batches.",
            members: ['limit' => $limit],
        );
    }

    public static function tooManyEvents(int $limit): self
    {
        return new self(
            ErrorCode::TooManyEvents,
            "The request has more than {$limit} events. Send smaller batches.",
            members: ['limit' => $limit],
        );
    }

    public static function tooManyFields(int $limit): self
    {
        return new self(
            ErrorCode::TooManyEvents,
            "The events of the request have more than {$limit} fields. Send smaller batches.",
            members: ['limit' => $limit],
        );
    }

    public static function noEvents(string $detail): self
    {
        return new self(ErrorCode::NoEvents, $detail);
    }

    public static function notJson(string $detail): self
    {
        return new self(ErrorCode::NotJson, $detail);
    }

    public static function notProtobuf(string $detail): self
    {
        return new self(
            ErrorCode::BrokenEncoding,
            "The body is not an ExportLogsServiceRequest in Protocol Buffers: {$detail}."
                .' Send OTLP as protobuf or JSON.',
        );
    }

    /** @param string $seen the members of the body */
    public static function noLogs(string $seen): self
    {
        $message = 'The body has no log records, but '.TerminalText::name($seen, 100);

        return new self(
            ErrorCode::NoEvents,
            "{$message}. The collector stores only OpenTelemetry logs: send resourceLogs to POST /v1/logs.",
        );
    }

    public static function duplicateMember(string $name): self
    {
        $message = "The body has two members '".TerminalText::name($name, 40)."'. Send each name once.";

        return new self(ErrorCode::NotJson, $message);
    }

    public static function tooDeep(): self
    {
        return new self(
            ErrorCode::TooDeep,
            'The body is nested too deeply. GET /v1/version has the limit of an event.',
        );
    }

    /** @param string $accept media types that this path accepts */
    public static function mediaType(string $seen, string $supported, string $accept = self::EVENTS): self
    {
        $message = $seen === ''
            ? 'The request has no Content-Type'
            : "The media type '".TerminalText::name($seen)."' is not supported";

        return new self(ErrorCode::UnsupportedMediaType, "{$message}. Send {$supported}.", ['Accept' => $accept]);
    }

    public static function encoding(string $seen): self
    {
        return new self(
            ErrorCode::UnsupportedEncoding,
            "The content coding '".TerminalText::name($seen)
                ."' is not supported. Send gzip or deflate, and only one of them.",
            ['Accept-Encoding' => 'gzip, deflate'],
        );
    }

    public static function brokenEncoding(string $coding): self
    {
        return new self(
            ErrorCode::BrokenEncoding,
            "The body is not valid {$coding}, or it is incomplete. Compress it again, and send all of it.",
        );
    }

    /**
     * Explains an unreadable body that was sent without Content-Encoding, or was compressed twice.
     *
     * @param ?string $coding whose signature the body has after it was decoded
     */
    public function ofCompressed(?string $coding): self
    {
        $isUnreadable = match ($this->reason) {
            ErrorCode::NotJson, ErrorCode::NotUtf8, ErrorCode::BrokenEncoding, ErrorCode::NothingAccepted => true,
            default => false,
        };

        if ($coding === null || ! $isUnreadable) {
            return $this;
        }

        $do = $coding === 'zstd'
            ? 'send gzip or deflate'
            : "send it with `Content-Encoding: {$coding}`, and compress it once";

        return new self(
            $this->reason,
            "The body looks compressed with {$coding}: {$do}.",
            $this->headers,
            $this->members,
            $this->status,
        );
    }

    public static function idempotencyKey(int $limit): self
    {
        return new self(
            ErrorCode::InvalidIdempotencyKey,
            "Idempotency-Key must have 1 to {$limit} visible characters.",
        );
    }

    /** No client can ever send such a request within the rate. */
    public static function exceedsRate(int $events, int $rate): self
    {
        return new self(
            ErrorCode::BatchExceedsRate,
            "The request has {$events} events, and this key may send {$rate} per second. Send smaller batches.",
            members: ['limit' => $rate],
        );
    }

    /** @param int<1, max> $seconds */
    public static function rate(int $rate, int $left, int $seconds): self
    {
        return new self(
            ErrorCode::RateLimited,
            "This key may send {$rate} events per second. Retry in {$seconds} s.",
            [
                'Retry-After' => (string) $seconds,
                'RateLimit-Policy' => "\"events\";q={$rate};w=1",
                'RateLimit' => "\"events\";r={$left};t={$seconds}",
            ],
        );
    }

    /** @param int<1, max> $seconds */
    public static function rateUnavailable(string $detail, int $seconds): self
    {
        return new self(
            ErrorCode::RateUnavailable,
            "The rate limit of the key cannot be checked: {$detail}. Retry later.",
            ['Retry-After' => (string) $seconds],
        );
    }

    /** The key may be valid, and clients do not retry after 401. */
    public static function keysUnavailable(int $seconds): self
    {
        return new self(
            ErrorCode::KeysUnavailable,
            'The collector cannot read its API keys; its log has the reason. Retry later.',
            ['Retry-After' => (string) $seconds],
        );
    }

    /**
     * @param list<array<string, mixed>> $errors
     * @param int<400, 599> $status
     */
    public static function nothingStored(
        ErrorCode $code,
        int $status,
        string $message,
        int $rejected,
        array $errors,
    ): self {
        return new self(
            $code,
            $message,
            members: ['accepted' => 0, 'rejected' => $rejected, 'errors' => $errors],
            status: $status,
        );
    }

    /** @return array<string, string> */
    private static function challenge(): array
    {
        return ['WWW-Authenticate' => 'Bearer realm="headroom", error="invalid_token"'];
    }
}
