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
 * A request of which nothing is taken.
 *
 * @internal
 */
final class RequestError extends Exception implements HeadroomException
{
    private const EVENTS = 'application/json, application/x-ndjson, '
        .'application/cloudevents+json, application/cloudevents-batch+json';

    private const CREATE = '`headroom:collect:key create NAME` makes one.';

    /**
     * @param array<string, string> $headers
     * @param array<string, mixed> $members of the answer, beside the standard ones
     * @param ?int<400, 599> $status where the code has several
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

    /** @param ?string $nearest that was probably meant */
    public static function unknownPath(string $path, ?string $nearest = null): self
    {
        $hint = $nearest === null ? 'Events go to POST /v1/events;' : "Did you mean {$nearest}?";

        return new self(
            ErrorCode::UnknownPath,
            "There is nothing at '".TerminalText::name($path)."'. {$hint} GET /v1/version lists what there is.",
        );
    }

    /** @param string $path of OpenTelemetry's traces or metrics */
    public static function notOfLogs(string $path): self
    {
        $kind = substr($path, strlen('/v1/'));
        $variable = 'OTEL_'.strtoupper($kind).'_EXPORTER';

        return new self(
            ErrorCode::UnknownPath,
            "Of OpenTelemetry only logs are stored here, at /v1/logs; {$kind} are not. Set {$variable}=none.",
        );
    }

    /** @param list<string> $allowed */
    public static function method(string $method, array $allowed): self
    {
        return new self(
            ErrorCode::MethodNotAllowed,
            "'".TerminalText::name($method, 20)."' is not possible here; ".implode(', ', $allowed).' is.',
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
        return new self(ErrorCode::UnknownKey, 'The API key is not known here. '.self::CREATE, self::challenge());
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
            'The webhook signature is missing, wrong, or not of this time. It is that of Standard Webhooks 1.0,'
                .' over the bytes as they were sent.',
            ['WWW-Authenticate' => 'Webhook-Signature'],
        );
    }

    public static function origin(?string $origin): self
    {
        return new self(
            ErrorCode::OriginNotAllowed,
            $origin === null
                ? 'This key is for certain origins, and the request has no Origin header.'
                : "The origin '".TerminalText::name($origin)."' may not send events here.",
        );
    }

    public static function bodyTooLarge(int $limit, bool $isInflated = false): self
    {
        return new self(
            ErrorCode::BodyTooLarge,
            "The body is larger than {$limit} bytes".($isInflated ? ' once it is decompressed' : '')
                .'. Send smaller batches.',
            members: ['limit' => $limit],
        );
    }

    public static function storesTooLarge(int $limit): self
    {
        return new self(
            ErrorCode::BodyTooLarge,
            "The events of this request take more than {$limit} bytes as they are stored. Send smaller batches.",
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

    public static function noEvents(string $why): self
    {
        return new self(ErrorCode::NoEvents, $why);
    }

    public static function notJson(string $why): self
    {
        return new self(ErrorCode::NotJson, $why);
    }

    public static function notProtobuf(string $why): self
    {
        return new self(
            ErrorCode::BrokenEncoding,
            "The body is no ExportLogsServiceRequest in Protocol Buffers: {$why}.",
        );
    }

    /** @param string $seen what is in it instead */
    public static function noLogs(string $seen): self
    {
        $words = 'There are no log records in the body, but '.TerminalText::name($seen, 100);

        return new self(
            ErrorCode::NoEvents,
            "{$words}. Of OpenTelemetry only logs are stored here: send resourceLogs to POST /v1/logs.",
        );
    }

    public static function duplicateMember(string $name): self
    {
        $words = "The body has two members '".TerminalText::name($name, 40)."', and readers would take either.";

        return new self(ErrorCode::NotJson, $words);
    }

    public static function tooDeep(): self
    {
        return new self(
            ErrorCode::TooDeep,
            'The body is nested by far deeper than any event may be; GET /v1/version tells the limit.',
        );
    }

    /** @param string $accept media types that are read at this path */
    public static function mediaType(string $seen, string $supported, string $accept = self::EVENTS): self
    {
        $words = $seen === '' ? 'The request has no Content-Type' : "'".TerminalText::name($seen)."' is not read here";

        return new self(ErrorCode::UnsupportedMediaType, "{$words}; {$supported} is.", ['Accept' => $accept]);
    }

    public static function encoding(string $seen): self
    {
        return new self(
            ErrorCode::UnsupportedEncoding,
            "The content coding '".TerminalText::name($seen)."' is not read here; gzip and deflate are, one at a time.",
            ['Accept-Encoding' => 'gzip, deflate'],
        );
    }

    public static function brokenEncoding(string $coding): self
    {
        return new self(ErrorCode::BrokenEncoding, "The body is not {$coding}, or not all of it has arrived.");
    }

    /** @param ?string $coding that the body, which could not be read, begins like */
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
            ? 'gzip and deflate are read here'
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

    /** Nobody could ever send it within the rate. */
    public static function exceedsRate(int $events, int $rate): self
    {
        return new self(
            ErrorCode::BatchExceedsRate,
            "The request has {$events} events, and this key may send {$rate} in a second. Send smaller batches.",
            members: ['limit' => $rate],
        );
    }

    /** @param int<1, max> $seconds */
    public static function rate(int $rate, int $left, int $seconds): self
    {
        return new self(
            ErrorCode::RateLimited,
            "This key may send {$rate} events per second. Come again in {$seconds} s.",
            [
                'Retry-After' => (string) $seconds,
                'RateLimit-Policy' => "\"events\";q={$rate};w=1",
                'RateLimit' => "\"events\";r={$left};t={$seconds}",
            ],
        );
    }

    /** @param int<1, max> $seconds */
    public static function rateUnavailable(string $why, int $seconds): self
    {
        return new self(
            ErrorCode::RateUnavailable,
            "Whether the key's rate allows it could not be found out: {$why}. Come again.",
            ['Retry-After' => (string) $seconds],
        );
    }

    /** It may be right: a client that was told 401 would not come again. */
    public static function keysUnavailable(int $seconds): self
    {
        return new self(
            ErrorCode::KeysUnavailable,
            'The keys can not be read here at the moment; the log of the collector says why. Come again.',
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
