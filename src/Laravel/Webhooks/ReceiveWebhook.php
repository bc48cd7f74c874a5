<?php

declare(strict_types=1);

namespace Headroom\Laravel\Webhooks;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;
use Headroom\Spool\InvalidEvent;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\Utf8;
use Headroom\Support\InvalidConfig;
use Headroom\Support\WebhookSignature;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Request;
use Illuminate\Http\Response;

/**
 * Verifies a webhook, buffers it and acknowledges it. After a 202 it survives the death of any process on this machine.
 * After any other response the sender still has it, and retries.
 *
 * @internal
 */
final readonly class ReceiveWebhook
{
    private const RETRY_AFTER_SECONDS = 30;

    public function __construct(private Buffer $buffer, private Repository $config, private ?Clock $clock = null) {}

    /** @throws InvalidConfig the sender gets a 500 and retries */
    public function __invoke(Request $request): Response
    {
        $settings = WebhookSettings::of($request);

        // The value of the header may exceed an integer.
        $declared = (float) $request->headers->get('Content-Length');

        // Checks the declared length before the body is read.
        if ($declared > $settings->maxBytes || strlen($body = $request->getContent()) > $settings->maxBytes) {
            return self::problem(413, 'Content Too Large', "The body is larger than {$settings->maxBytes} bytes.");
        }

        $secrets = $this->secrets($settings->secretIn, $settings->scheme === 'standard');
        $scheme = $settings->scheme();
        $now = ($this->clock ?? new SystemClock)->now();

        if (! $scheme->isGenuine($request, $body, $secrets, $now->getTimestamp())) {
            return self::problem(
                401,
                'Unauthorized',
                'The signature is missing, wrong or expired.',
                ['WWW-Authenticate' => 'Webhook-Signature'],
            );
        }

        $this->checkEncoding($settings->bucket, $body);

        try {
            $this->buffer->bucket($settings->bucket)->add([
                'delivery_id' => $scheme->idOf($request, $body),
                'received_at' => $now,
                'headers' => self::chosen($request, $settings->headers),
                'body' => $body,
            ]);
        } catch (UnableToAppend) {
            return self::problem(
                503,
                'Service Unavailable',
                'The webhook could not be stored. Please send it again.',
                ['Retry-After' => (string) self::RETRY_AFTER_SECONDS],
            );
        } catch (InvalidEvent $e) {
            // Any other error is on this side and has to be logged: after a 413 the sender may never retry.
            return $e->isTooLarge
                ? self::problem(413, 'Content Too Large', 'The body is too large to be stored.')
                : throw $e;
        }

        return new Response('', 202);
    }

    /**
     * @param bool $isEncoded true if the text after `whsec_` is base64
     * @return non-empty-list<non-empty-string>
     *
     * @throws InvalidConfig there is no secret; without the exception every webhook would only get a 401
     */
    private function secrets(string $key, bool $isEncoded): array
    {
        $secrets = [];

        foreach ((array) $this->config->get($key) as $secret) {
            if (is_string($secret) && $secret !== '') {
                $secrets[] = $isEncoded && WebhookSignature::key($secret) === null
                    ? throw InvalidConfig::notShown($key, "'whsec_' and base64, or the key itself; or a list of these")
                    : $secret;
            }
        }

        return $secrets === []
            ? throw InvalidConfig::missing(
                $key,
                "the secret that signs the webhooks, or a list of secrets; the route's secretIn names this key",
            )
            : $secrets;
    }

    /** @throws InvalidConfig the bucket would change the bytes of the body */
    private function checkEncoding(string $bucket, string $body): void
    {
        if (
            ! mb_check_encoding($body, 'UTF-8')
            && AppendConfig::fromArray((array) $this->config->get('spool', []))->utf8($bucket) !== Utf8::Binary
        ) {
            throw InvalidConfig::notAllowed(
                "spool.buckets.{$bucket}.utf8",
                null,
                "'binary' for webhooks whose body is not UTF-8; the sender of such a webhook got HTTP 500",
            );
        }
    }

    /**
     * @param list<string> $names
     * @return ?non-empty-array<string, string> by name in lower case
     */
    private static function chosen(Request $request, array $names): ?array
    {
        $chosen = [];

        foreach ($names as $name) {
            $value = $request->headers->get($name);

            if ($value !== null) {
                $chosen[strtolower($name)] = $value;
            }
        }

        return $chosen === [] ? null : $chosen;
    }

    /**
     * RFC 9457.
     *
     * @param array<string, string> $headers
     */
    private static function problem(int $status, string $title, string $detail, array $headers = []): Response
    {
        $body = json_encode(
            ['type' => 'about:blank', 'title' => $title, 'status' => $status, 'detail' => $detail],
            JSON_THROW_ON_ERROR,
        );

        return new Response($body, $status, ['Content-Type' => 'application/problem+json', ...$headers]);
    }
}
