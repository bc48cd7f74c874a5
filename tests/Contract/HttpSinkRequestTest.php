<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Support\WebhookSignature;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Contract\Support\SendsOverHttp;
use Headroom\Tests\Fault\Support\SetClock;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The requests that the sink sends: body, headers and signature.
 */
#[Group('smoke')]
final class HttpSinkRequestTest extends TestCase
{
    use SendsOverHttp;

    private const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';

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
}
