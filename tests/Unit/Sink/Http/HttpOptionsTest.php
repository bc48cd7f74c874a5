<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Http;

use Headroom\Core\SystemClock;
use Headroom\Sink\Http\HttpOptions;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\Http\Statuses;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class HttpOptionsTest extends TestCase
{
    /** @return iterable<string, array{mixed}> */
    public static function badUrls(): iterable
    {
        yield 'null' => [null];
        yield 'a number' => [5];
        yield 'empty' => [''];
        yield 'no scheme' => ['crm.example.com/sesame'];
        yield 'another scheme' => ['ftp://crm.example.com/sesame'];
        yield 'a file' => ['file:///etc/sesame'];
        yield 'no host' => ['https:///sesame'];
        yield 'a blank' => ['https://crm.example.com/se same'];
        yield 'a line feed' => ["https://crm.example.com/\nsesame"];
        yield 'a letter that is not ASCII' => ['https://crm.example.com/sesamé'];
        yield 'a port that is none' => ['https://crm.example.com:99999/sesame'];
        yield 'a host that is read in two ways' => ['https://crm.example.com\@evil.example/sesame'];
    }

    #[Test]
    #[DataProvider('badUrls')]
    public function a_url_that_is_none_is_refused_without_being_shown(mixed $url): void
    {
        $message = $this->refusal(['url' => $url]);

        self::assertStringContainsString('spool.buckets.crm.url', $message);
        self::assertStringNotContainsString('sesam', $message);
    }

    #[Test]
    public function of_a_url_only_scheme_host_and_port_are_shown(): void
    {
        $shown = static fn (string $url): string
            => HttpOptions::from(new ConfigReader(['url' => $url], 'spool.buckets.crm'))->endpoint->origin;

        self::assertSame(
            'https://crm.example.com',
            $shown('https://ada:sesame@crm.example.com/hooks/sesame?key=sesame#x'),
        );
        self::assertSame('http://[::1]:8080', $shown('HTTP://[::1]:8080/'));
        self::assertSame('http://crm_internal:81', $shown('http://crm_internal:81'));
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function badSettings(): iterable
    {
        yield 'a secret that is not set' => [['sign' => null], 'spool.buckets.crm.sign'];
        yield 'an empty secret' => [['sign' => ''], 'spool.buckets.crm.sign'];
        yield 'a secret that is no base64' => [
            ['sign' => 'whsec_sesame!sesame!sesame!sesame!'], 'spool.buckets.crm.sign',
        ];
        yield 'a second one that is none' => [
            ['sign' => 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw whsec_sesame!'], 'spool.buckets.crm.sign',
        ];
        yield 'a list of secrets' => [['sign' => ['sesame']], 'spool.buckets.crm.sign'];
        yield 'a header that is not set' => [
            ['headers' => ['Authorization' => null]], 'spool.buckets.crm.headers.Authorization',
        ];
        yield 'a header with a line feed' => [
            ['headers' => ['Authorization' => "Bearer sesame\r\nX: y"]], 'spool.buckets.crm.headers.Authorization',
        ];
        yield 'a header with a number' => [['headers' => ['X-Key' => 471108]], 'spool.buckets.crm.headers.X-Key'];
        yield 'a name that is none' => [['headers' => ["X Key\n" => 'sesame']], 'spool.buckets.crm.headers.X Key'];
        yield 'headers as a text' => [['headers' => 'Authorization: Bearer sesame'], 'spool.buckets.crm.headers'];
        yield 'a list' => [['headers' => ['X-Key: sesame: x']], 'spool.buckets.crm.headers.0'];
        yield 'a header of ours' => [
            ['headers' => ['Idempotency-Key' => 'sesame']], 'spool.buckets.crm.headers.Idempotency-Key',
        ];
        yield 'one of the connection' => [['headers' => ['host' => 'sesame']], 'spool.buckets.crm.headers.host'];
        yield 'no time at all' => [['timeout' => 0], 'spool.buckets.crm.timeout'];
        yield 'a setting that is not known' => [['retries' => 3], 'spool.buckets.crm.retries'];
    }

    /** @param array<string, mixed> $settings */
    #[Test]
    #[DataProvider('badSettings')]
    public function a_wrong_setting_is_named_and_no_secret_is_shown(array $settings, string $key): void
    {
        $message = $this->refusal(['url' => 'https://crm.example.com', ...$settings]);

        self::assertStringContainsString($key, $message);
        self::assertStringNotContainsString('sesame', $message);
        self::assertStringNotContainsString('471108', $message);
    }

    #[Test]
    public function a_waiting_range_is_bound_to_the_address_and_not_to_the_key(): void
    {
        $print = static fn (array $options): ?string => SpoolConfig::fromArray([
            'path' => '/b',
            'buckets' => ['crm' => ['sink' => 'http', 'url' => 'https://a.example', ...$options]],
        ])
            ->bucket('crm')
            ?->sinkFingerprint();

        self::assertSame(
            $print([]),
            $print(['sign' => 'whsec_sesame', 'headers' => ['Authorization' => 'Bearer sesame'], 'timeout' => 5]),
        );
        self::assertNotSame($print([]), $print(['url' => 'https://b.example']));
    }

    #[Test]
    #[TestWith(['https://127.0.0.1', ''])]
    #[TestWith(['http://127.0.0.1:81', ''])]
    #[TestWith(['http://[::1]/', ''])]
    #[TestWith(['http://localhost', ''])]
    #[TestWith(['http://192.0.2.7', 'https://'])]
    #[TestWith(['https://no-such-host.invalid/sesame', "'no-such-host.invalid'"])]
    public function an_examination_sends_nothing_and_notes_what_can_be_seen(string $url, string $note): void
    {
        $problems = HttpSink::fromOptions(new ConfigReader(['url' => $url], 'spool.buckets.crm'), new SystemClock)
            ->inspect();

        self::assertCount($note === '' ? 0 : 1, $problems);

        foreach ($problems as $problem) {
            self::assertStringContainsString($note, "{$problem->message} {$problem->fix}");
            self::assertTrue(str_starts_with($url, $problem->subject), $problem->subject);
            self::assertFalse($problem->fatal);
            self::assertStringNotContainsString('sesame', "{$problem->subject} {$problem->message} {$problem->fix}");
        }
    }

    #[Test]
    #[TestWith(['[200, 422, 503]'])]
    #[TestWith(['[{"status": 200}, {"status": 422, "error": "x"}, {"status": 503}]'])]
    #[TestWith(['{"items": [200, {"status": 422}, 503], "took": 3}'])]
    public function a_multi_status_may_have_these_forms(string $body): void
    {
        $statuses = Statuses::parse($body, 3);

        self::assertInstanceOf(Statuses::class, $statuses);
        self::assertSame([200, 422, 503], $statuses->all);
    }

    #[Test]
    #[TestWith([''])]
    #[TestWith(['[200, 422, 50', 3, 200, 299, 400, 599])]
    #[TestWith(['"fine"'])]
    #[TestWith(['{"a": 200, "b": 200, "c": 200}'])]
    #[TestWith(['{"items": {"a": 200}}'])]
    #[TestWith(['[200, 200]', 2])]
    #[TestWith(['[200, 200, 200, 200]', 3])]
    #[TestWith(['[200, "200", 200]', 2, 200, 299, 400, 599])]
    #[TestWith(['[200, 200, {"code": 200}]', 3, 200, 299, 400, 599])]
    #[TestWith(['[100, 200, 200]', 1, 200, 299, 400, 599])]
    #[TestWith(['[302, 200, 200]', 1, 200, 299, 400, 599])]
    #[TestWith(['[600, 200, 200]', 1, 200, 299, 400, 599])]
    #[TestWith(['[200.5, 200, 200]', 1, 200, 299, 400, 599])]
    public function another_form_is_told_without_quoting_it(string $body, int ...$numbers): void
    {
        $wrong = Statuses::parse($body, 3);

        self::assertIsString($wrong);
        preg_match_all('/\d+/', $wrong, $told);
        self::assertEqualsCanonicalizing($numbers, array_map(intval(...), $told[0]));
    }

    /** @param array<string, mixed> $options */
    private function refusal(array $options): string
    {
        try {
            HttpOptions::from(new ConfigReader($options, 'spool.buckets.crm'));
        } catch (InvalidConfig $e) {
            return $e->getMessage();
        }

        self::fail('The settings were taken.');
    }
}
