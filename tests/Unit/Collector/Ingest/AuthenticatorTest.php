<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\Authentication\ApiKeyCache;
use Headroom\Collector\Ingest\Authentication\ApiKeyStore;
use Headroom\Collector\Ingest\Authentication\UnableToStoreKeys;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Request;
use Headroom\Core\SystemClock;
use Headroom\Support\WebhookSignature;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

final class AuthenticatorTest extends IngestTestCase
{
    private const EVENT = '{"type":"order.placed"}';

    /** @return iterable<string, array{array<string, string>, string}> */
    public static function places(): iterable
    {
        yield 'bearer' => [['authorization' => 'Bearer KEY'], ''];
        yield 'bearer in other letters' => [['authorization' => 'bEARER  KEY'], ''];
        yield 'user of basic' => [['authorization' => 'BASIC'], ''];
        yield 'password of basic' => [['authorization' => 'PASSWORD'], ''];
        yield 'header' => [['x-write-key' => 'KEY'], ''];
        yield 'access_token' => [[], 'a=1&access_token=KEY'];
        yield 'writeKey' => [[], 'writeKey=KEY&atomic=1'];
    }

    /** @param array<string, string> $headers */
    #[Test]
    #[DataProvider('places')]
    public function a_key_is_found_where_clients_put_it(array $headers, string $query): void
    {
        $harness = $this->harness(new IngestSettings);
        $key = $harness->key(new ApiKey('', 'shop'));
        $headers = array_map(
            static fn (string $value): string => str_replace(
                ['KEY', 'BASIC', 'PASSWORD'],
                [$key, 'Basic '.base64_encode("{$key}:"), 'Basic '.base64_encode(":{$key}")],
                $value,
            ),
            $headers,
        );

        self::assertSame(
            'shop',
            self::row($harness->post(self::EVENT, $headers, query: str_replace('KEY', $key, $query)))['key'],
        );
        self::refused(
            401,
            'unknown_key',
            $harness->post(
                self::EVENT,
                array_map(
                    static fn (string $value): string
                        => str_starts_with($value, 'Basic') ? 'Basic '.base64_encode('no:no') : "{$value}x",
                    $headers,
                ),
                query: str_replace('KEY', "{$key}x", $query),
            ),
        );
    }

    #[Test]
    public function the_file_has_no_key_in_it_and_is_the_owners(): void
    {
        $harness = $this->harness(new IngestSettings);
        $key = $harness->key(new ApiKey('', 'shop'));
        $path = $harness->directory->file('collector/keys.json');

        self::assertSame('0600', sprintf('%04o', (int) fileperms($path) & 0o777));
        self::assertStringNotContainsString($key, (string) file_get_contents($path));
        self::assertStringContainsString(hash('sha256', $key), (string) file_get_contents($path));
        self::assertStringContainsString('"version": 1', (string) file_get_contents($path));
        self::assertSame([$path, "{$path}.lock"], glob("{$path}*"));
        self::assertSame(43, strlen($key) - strlen('hrk_'), '32 bytes in base64.');
    }

    #[Test]
    public function scopes_hold(): void
    {
        $harness = $this->harness(new IngestSettings);
        $types = ['x-write-key' => $harness->key(new ApiKey('', 'a', types: ['order.*', 'exact']))];
        $origins = ['x-write-key' => $harness->key(new ApiKey('', 'b', origins: [
            'https://a.example', 'https://*.b.example',
        ]))];
        $small = ['x-write-key' => $harness->key(new ApiKey('', 'c', eventBytes: 50))];

        self::assertSame(1, $harness->post(self::EVENT, $types)->count);
        self::assertSame(1, $harness->post('{"type":"exact"}', $types)->count);
        self::refused(403, 'type_not_allowed', $harness->post('{"type":"exactly"}', $types));
        self::refused(403, 'type_not_allowed', $harness->post('{"type":"orders"}', $types));

        foreach ([
            'https://a.example' => true,
            'https://x.b.example' => true,
            'https://b.example' => false,
            'https://evilb.example' => false,
            'http://a.example' => false,
            'null' => false,
        ] as $origin => $may) {
            self::assertSame(
                $may ? 1 : 0,
                $harness->post(self::EVENT, $origins + ['origin' => $origin])->count,
                $origin,
            );
        }

        self::refused(403, 'origin_not_allowed', $harness->post(self::EVENT, $origins));
        self::assertSame(1, $harness->post(self::EVENT, $small)->count);
        self::refused(
            413,
            'event_too_large',
            $harness->post('{"type":"t","data":"'.str_repeat('x', 40).'"}', $small),
        );
    }

    #[Test]
    public function a_change_is_seen_within_a_second_and_not_asked_for_before(): void
    {
        $harness = $this->harness(new IngestSettings);
        $old = $harness->keys->create(new ApiKey('', 'shop'));
        $post = static fn (string $key, int $after): int
            => $harness->post(
                self::EVENT,
                ['x-write-key' => $key],
                now: PipelineHarness::NOW + $after,
            )->response->status;

        self::assertSame(202, $post($old[1], 0));
        $new = $harness->keys->create(new ApiKey('', 'shop'));
        self::assertSame(401, $post($new[1], 999_999));
        self::assertSame(
            [202, 202],
            [$post($new[1], 1_000_000), $post($old[1], 1_000_000)],
            'Both are right while they are replaced.',
        );
        self::assertTrue($harness->keys->revoke($old[0]->id));
        self::assertSame(
            [202, 401, 202],
            [$post($old[1], 1_999_999), $post($old[1], 2_000_000), $post($new[1], 2_000_000)],
        );
        self::assertFalse($harness->keys->revoke('none'));
    }

    #[Test]
    public function a_damaged_file_changes_nothing_and_opens_nothing(): void
    {
        $harness = $this->harness(new IngestSettings);
        $file = $harness->keys;
        [$key, $token] = $file->create(new ApiKey('', 'shop'));
        $ring = new ApiKeyCache($file);
        self::assertSame('shop', $ring->find($token, PipelineHarness::NOW)?->name);

        foreach ([
            '',
            '{',
            '{"version":2,"keys":[]}',
            '{"version":1,"keys":[{"id":"a"}]}',
            '{"version":1,"keys":[{"id":"../x","name":"a","hash":"b","created":1}]}',
        ] as $second => $text) {
            file_put_contents($file->path, $text);
            self::assertSame(
                'shop',
                $ring->find($token, PipelineHarness::NOW + ($second + 1) * 1_000_000)?->name,
                $text,
            );
            self::assertNotNull($ring->failure);
            self::assertNull((new ApiKeyCache($file))->find($token, PipelineHarness::NOW));

            try {
                $file->create(new ApiKey('', 'other'));
                self::fail('A file that is not understood must not be written over.');
            } catch (UnableToStoreKeys $e) {
                self::assertStringContainsString($file->path, $e->getMessage());
                self::assertSame($text, file_get_contents($file->path));
            }
        }

        unlink($file->path);
        self::assertNull($ring->find($token, PipelineHarness::NOW + 60_000_000));
        self::assertNull($ring->failure);
        self::assertNotSame('', $key->id);
    }

    #[Test]
    public function many_at_once_lose_no_key(): void
    {
        $directory = $this->harness(new IngestSettings)->directory;
        $script = $directory->write(
            'create.php',
            '<?php require $argv[1]; for ($n = 0; $n < 10;'
                .' $n++) { Headroom\Collector\Ingest\Authentication\ApiKeyStore::below($argv[2],'
                .' new Headroom\Core\SystemClock)->create(new'
                .' Headroom\Collector\Ingest\Authentication\ApiKey("", "k")); }',
        );
        $children = [];

        for ($child = 0; $child < 4; $child++) {
            $children[] = proc_open(
                [PHP_BINARY, $script, dirname(__DIR__, 4).'/vendor/autoload.php', $directory->path],
                [],
                $pipes,
            );
        }

        foreach ($children as $child) {
            self::assertIsResource($child);
            self::assertSame(0, proc_close($child));
        }

        self::assertCount(
            40,
            array_unique(array_map(
                static fn (ApiKey $key): string => $key->hash,
                ApiKeyStore::below($directory->path, new SystemClock)->all(),
            )),
        );
    }

    #[Test]
    public function a_signature_is_as_good_as_a_key(): void
    {
        $secret = 'whsec_'.base64_encode('0123456789abcdef01234567');
        $harness = $this->harness(new IngestSettings(webhooks: [
            'other' => ['another'],
            'stripe' => ['old', $secret],
        ]));
        $now = intdiv(PipelineHarness::NOW, 1_000_000);
        $sign = static fn (string $body, int $at, string $key): array => [
            'webhook-id' => 'msg_1',
            'webhook-timestamp' => (string) $at,
            'webhook-signature' => 'v1,bm8= '
                .WebhookSignature::of((string) WebhookSignature::key($key), 'msg_1', (string) $at, $body),
            'content-type' => 'application/json',
        ];

        $row = self::row($harness->post(self::EVENT, $sign(self::EVENT, $now, $secret)));
        self::assertSame(['stripe', 'stripe'], [$row['key'], $row['source']]);
        self::assertSame(
            $row['id'],
            self::row($harness->post(self::EVENT, $sign(self::EVENT, $now + 300, 'old')))['id'],
            'The id of the delivery is one that comes again.',
        );
        $zipped = (string) gzencode(self::EVENT);
        self::assertSame(
            1,
            $harness->post($zipped, ['content-encoding' => 'gzip'] + $sign($zipped, $now, $secret))->count,
            'The bytes as they were sent are signed.',
        );

        foreach ([
            $sign(self::EVENT, $now - 301, $secret),
            $sign(self::EVENT, $now + 301, $secret),
            $sign('{}', $now, $secret),
            $sign(self::EVENT, $now, 'unknown'),
            ['webhook-id' => ''] + $sign(self::EVENT, $now, $secret),
        ] as $headers) {
            self::refused(401, 'bad_signature', $harness->post(self::EVENT, $headers));
        }
    }

    #[Test]
    public function without_authentication_a_key_still_names_the_sender(): void
    {
        $harness = $this->harness();
        $key = $harness->key(new ApiKey('', 'shop'));

        self::assertSame('shop', self::row($harness->post(self::EVENT, ['x-write-key' => $key]))['key']);
        self::assertNull(self::row($harness->post(self::EVENT, ['x-write-key' => 'foreign']))['key']);
        self::assertSame(
            202,
            $harness->pipeline->ingest(
                new Request('POST', '/v1/events', '', [], self::EVENT),
                PipelineHarness::NOW,
            )->response->status,
        );
    }
}
