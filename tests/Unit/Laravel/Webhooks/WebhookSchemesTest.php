<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Laravel\Webhooks;

use Headroom\Laravel\Webhooks\HmacScheme;
use Headroom\Laravel\Webhooks\Scheme;
use Headroom\Laravel\Webhooks\StandardScheme;
use Headroom\Laravel\Webhooks\StripeScheme;
use Headroom\Laravel\Webhooks\Webhook;
use Headroom\Spool\InvalidBucket;
use Headroom\Support\InvalidConfig;
use Illuminate\Http\Request;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class WebhookSchemesTest extends TestCase
{
    /** The example of the libraries of the Standard Webhooks specification. */
    private const STANDARD = [
        'secret' => 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        'id' => 'msg_p5jXN8AQM9LWM0D4loKWxJek',
        'time' => 1_614_265_330,
        'body' => '{"test": 2432232314}',
        'signature' => 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    ];

    /** The example of GitHub's documentation, "Testing the webhook payload validation". */
    private const GITHUB = [
        'secret' => "It's a Secret to Everybody",
        'body' => 'Hello, World!',
        'signature' => 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17',
    ];

    private const KEY =
        "\x31\xF2\x90\xF6\xBF\x06\x29\x8A\xAB\x4F\x08\xD4\x3C\x3F\x08\x2C\xF6\x48\xA3\x62\xDA\x2D\xA4\xB0";

    private const OTHER = 'v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=';

    /**
     * @return iterable<string, array{bool, array<string, string>, list<non-empty-string>, int}> genuine or not, changes
     *     of the headers, secrets, seconds that our clock is ahead
     */
    public static function standard(): iterable
    {
        $good = self::STANDARD['signature'];
        $secret = self::STANDARD['secret'];

        yield 'as published' => [true, [], [$secret], 0];
        yield 'the key itself' => [true, [], [self::KEY], 0];
        yield 'the newer of two secrets' => [
            true,
            [],
            ['whsec_'.base64_encode('another key of 24 bytes.'), $secret],
            0,
        ];
        yield 'the older of two secrets' => [true, [], [$secret, 'another'], 0];
        yield 'a secret that cannot be read next to a good one' => [true, [], ['whsec_?', $secret], 0];
        yield 'one of several signatures' => [
            true,
            ['webhook-signature' => self::OTHER.' v1a,abc '.$good.' '.self::OTHER],
            [$secret],
            0,
        ];
        yield 'at the end of the tolerance' => [true, [], [$secret], 300];
        yield 'at its beginning' => [true, [], [$secret], -300];
        yield 'too old' => [false, [], [$secret], 301];
        yield 'too new' => [false, [], [$secret], -301];
        yield 'another secret' => [false, [], ['whsec_'.base64_encode('another key of 24 bytes.')], 0];
        yield 'a secret that cannot be read' => [false, [], ['whsec_?'], 0];
        yield 'another signature' => [false, ['webhook-signature' => self::OTHER], [$secret], 0];
        yield 'a signature of another version' => [
            false,
            ['webhook-signature' => 'v2,'.substr($good, 3)],
            [$secret],
            0,
        ];
        yield 'a signature without its version' => [false, ['webhook-signature' => substr($good, 3)], [$secret], 0];
        yield 'no signature' => [false, ['webhook-signature' => ''], [$secret], 0];
        yield 'another id' => [false, ['webhook-id' => 'msg_other'], [$secret], 0];
        yield 'no id' => [false, ['webhook-id' => ''], [$secret], 0];
        yield 'another time' => [false, ['webhook-timestamp' => '1614265331'], [$secret], 0];
        yield 'a time that is none' => [false, ['webhook-timestamp' => '1614265330.0'], [$secret], 0];
        yield 'no time' => [false, ['webhook-timestamp' => ''], [$secret], 0];
        yield 'a time beyond all numbers' => [false, ['webhook-timestamp' => '99999999999999999999'], [$secret], 0];
    }

    /**
     * @param array<string, string> $changes
     * @param non-empty-list<non-empty-string> $secrets
     */
    #[Test]
    #[DataProvider('standard')]
    public function standard_webhooks(bool $isGenuine, array $changes, array $secrets, int $ahead): void
    {
        $headers = [
            'webhook-id' => self::STANDARD['id'],
            'webhook-timestamp' => (string) self::STANDARD['time'],
            'webhook-signature' => self::STANDARD['signature'],
            ...$changes,
        ];
        $now = self::STANDARD['time'] + $ahead;

        self::assertSame(
            $isGenuine,
            (new StandardScheme(
                'webhook',
                300,
            ))->isGenuine($this->request($headers), self::STANDARD['body'], $secrets, $now),
        );
        $svix = array_combine(str_replace('webhook-', 'svix-', array_keys($headers)), $headers);
        self::assertSame(
            $isGenuine,
            (new StandardScheme('svix', 300))->isGenuine($this->request($svix), self::STANDARD['body'], $secrets, $now),
        );
        self::assertFalse((new StandardScheme('webhook', 300))->isGenuine(
            $this->request($headers),
            self::STANDARD['body'].' ',
            $secrets,
            $now,
        ));
    }

    #[Test]
    public function the_id_of_a_standard_webhook_is_its_own(): void
    {
        self::assertSame(
            'msg_1',
            (new StandardScheme('webhook', 300))->idOf($this->request(['webhook-id' => 'msg_1']), ''),
        );
    }

    #[Test]
    public function github(): void
    {
        $scheme = new HmacScheme('X-Hub-Signature-256', 'sha256', 'hex', 'sha256=', 'X-GitHub-Delivery');
        $is = fn (
            string $signature = self::GITHUB['signature'],
            string $body = self::GITHUB['body'],
            string ...$secrets,
        ): bool => $this->isGenuine(
            $scheme,
            ['X-Hub-Signature-256' => $signature],
            $body,
            $secrets === [] ? [self::GITHUB['secret']] : array_values($secrets),
        );
        [$good, $body] = [self::GITHUB['signature'], self::GITHUB['body']];

        self::assertTrue($is());
        self::assertTrue($is($good, $body, 'another', self::GITHUB['secret']));
        self::assertTrue($is($good, $body, self::GITHUB['secret'], 'another'));
        self::assertFalse($is($good, 'Hello, World?'));
        self::assertFalse($is($good, $body, 'another'));
        self::assertFalse($is(''));
        self::assertFalse($is(substr($good, 7)));
        self::assertFalse($is(strtoupper($good)));
        self::assertSame(
            '72d3162e-cc78-11e3-81ab-4c9367dc0958',
            $scheme->idOf($this->request(['X-GitHub-Delivery' => '72d3162e-cc78-11e3-81ab-4c9367dc0958']), ''),
        );
    }

    /** RFC 4231, test case 2, whose key and text are words. */
    #[Test]
    #[TestWith(['sha256', 'hex', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'])]
    #[TestWith(['sha256', 'base64', 'W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM='])]
    #[TestWith([
        'sha384',
        'hex',
        'af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649',
    ])]
    #[TestWith([
        'sha512',
        'hex',
        '164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737',
    ])]
    public function an_hmac_of_any_header(string $algorithm, string $encoding, string $signature): void
    {
        $scheme = new HmacScheme('X-Shop-Hmac', $algorithm, $encoding, '', null);

        self::assertTrue($this->isGenuine(
            $scheme,
            ['X-Shop-Hmac' => $signature],
            'what do ya want for nothing?',
            ['Jefe'],
        ));
        self::assertFalse($this->isGenuine(
            $scheme,
            ['X-Shop-Hmac' => $signature],
            'what do ya want for nothing!',
            ['Jefe'],
        ));
        self::assertNull($scheme->idOf($this->request([]), ''));
    }

    /** @return iterable<string, array{bool, string, list<non-empty-string>, int}> */
    public static function stripe(): iterable
    {
        $secret = 'whsec_test_secret';
        $time = 1_492_774_577;
        // Worked out with `printf '%s.%s' 1492774577 '{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test_secret`:
        // Stripe publishes the form and no example with its secret.
        $good = '799c4ba7bb339f3c8601adfd112f0e477c930a268be1243d341abb8286501c2f';
        $v0 = 'v0=6ffbb59b2300aae63f272406069a9788598b792a944a07aba816edb039989a39';

        yield 'as described' => [true, "t={$time},v1={$good},{$v0}", [$secret], 0];
        yield 'with blanks' => [true, "t={$time}, v1={$good}", [$secret], 0];
        yield 'one of two signatures' => [true, "t={$time},v1=abc,v1={$good}", [$secret], 0];
        yield 'one of two secrets' => [true, "t={$time},v1={$good}", ['another', $secret], 0];
        yield 'at the end of the tolerance' => [true, "t={$time},v1={$good}", [$secret], 300];
        yield 'too old' => [false, "t={$time},v1={$good}", [$secret], 301];
        yield 'too new' => [false, "t={$time},v1={$good}", [$secret], -301];
        yield 'a key that was decoded' => [false, "t={$time},v1={$good}", ['test_secret'], 0];
        yield 'only in the scheme of test events' => [false, "t={$time},v0={$good}", [$secret], 0];
        yield 'another time' => [false, 't='.($time + 1).",v1={$good}", [$secret], 0];
        yield 'two times' => [false, "t={$time},t={$time},v1={$good}", [$secret], 0];
        yield 'no time' => [false, "v1={$good}", [$secret], 0];
        yield 'no signature' => [false, "t={$time}", [$secret], 0];
        yield 'nothing' => [false, '', [$secret], 0];
        yield 'noise' => [false, ',,=,t,v1', [$secret], 0];
    }

    /** @param non-empty-list<non-empty-string> $secrets */
    #[Test]
    #[DataProvider('stripe')]
    public function stripes(bool $isGenuine, string $header, array $secrets, int $ahead): void
    {
        $scheme = new StripeScheme(300);

        self::assertSame(
            $isGenuine,
            $scheme->isGenuine(
                $this->request(['Stripe-Signature' => $header]),
                '{"id":"evt_1"}',
                $secrets,
                1_492_774_577 + $ahead,
            ),
        );
        self::assertFalse($scheme->isGenuine(
            $this->request(['Stripe-Signature' => $header]),
            '{"id":"evt_2"}',
            $secrets,
            1_492_774_577 + $ahead,
        ));
    }

    #[Test]
    #[TestWith(['{"id":"evt_1","object":"event"}', 'evt_1'])]
    #[TestWith(['{"id":5}', null])]
    #[TestWith(['{}', null])]
    #[TestWith(['"x"', null])]
    #[TestWith(['no JSON', null])]
    public function the_id_of_stripes_webhook_is_the_events(string $body, ?string $id): void
    {
        self::assertSame($id, (new StripeScheme(300))->idOf($this->request([]), $body));
    }

    #[Test]
    public function a_mistake_in_a_route_is_told_where_it_is_declared(): void
    {
        foreach ([
            static fn (): array => Webhook::hmac('a', 's', 'X', algorithm: 'md5'),
            static fn (): array => Webhook::hmac('a', 's', 'X', encoding: 'binary'),
            static fn (): array => Webhook::github('a', 's', maxBytes: 0),
            static fn (): array => Webhook::github('a', 's', maxBytes: 2_000_000),
            static fn (): array => Webhook::stripe('a', 's', tolerance: 0),
            static fn (): array => Webhook::standard('a', 's', tolerance: 100_000),
            static fn (): array => Webhook::standard('../a', 's'),
        ] as $number => $declare) {
            try {
                $declare();
                self::fail("{$number} was taken.");
            } catch (InvalidConfig|InvalidBucket $e) {
                self::assertNotSame('', $e->getMessage());
            }
        }
    }

    /**
     * @param array<string, string> $headers
     * @param non-empty-list<string> $secrets
     */
    private function isGenuine(Scheme $scheme, array $headers, string $body, array $secrets): bool
    {
        /** @var non-empty-list<non-empty-string> $secrets */
        return $scheme->isGenuine($this->request($headers), $body, $secrets, 0);
    }

    /** @param array<string, string> $headers */
    private function request(array $headers): Request
    {
        $request = Request::create('/hooks', 'POST');
        $request->headers->add($headers);

        return $request;
    }
}
