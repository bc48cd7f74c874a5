<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Composer\Autoload\ClassLoader;
use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Laravel\Webhooks\Webhook;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Headroom\Tests\Support\Fetched;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Database\DatabaseManager;
use Illuminate\Support\Facades\Route;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use Workbench\App\Webhooks\RecordPush;

/**
 * docs/uses/incoming-webhooks.md
 */
#[Group('snapshot')]
final class IncomingWebhooksTest extends WebhooksTestCase
{
    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_genuine_webhook_is_acknowledged_and_arrives_byte_for_byte(WorkbenchDatabase $database): void
    {
        $workbench = $this->workbenchOn($database);
        $response = $this->push();

        self::assertSame(202, $response->getStatusCode(), $workbench->log());
        self::assertSame('', $response->getContent());
        self::assertSame([], $response->headers->getCookies());
        $early = $workbench->rows('webhooks');
        self::assertSame([], $early, 'Acknowledged before anything is done with it.');

        $workbench->artisan('spool:flush', ['bucket' => 'github']);
        $row = $workbench->rows('webhooks')[0] ?? [];
        self::assertSame(['delivery-1', self::PUSH], [$row['delivery_id'] ?? null, $row['body'] ?? null]);
        self::assertIsString($row['headers'] ?? null);
        self::assertSame(['x-github-event' => 'push'], json_decode($row['headers'], true));
        self::assertIsString($row['received_at'] ?? null);
        self::assertMatchesRegularExpression('/^20\d\d-/', $row['received_at']);
    }

    #[Test]
    #[TestDox('webhook that could not be stored, or whose response was lost')]
    public function while_the_buffer_takes_nothing_the_sender_is_asked_to_come_again(): void
    {
        $workbench = $this->workbenchOn(WorkbenchDatabase::Sqlite, ['SPOOL_MIN_FREE_BYTES' => '1000000000000000']);
        $workbench->app->make(DatabaseManager::class)->connection()->getSchemaBuilder()->drop('webhooks');
        $response = $this->push();

        self::assertSame(503, $response->getStatusCode());
        self::assertSame('30', $response->headers->get('Retry-After'));
        self::assertSame('application/problem+json', $response->headers->get('Content-Type'));
        self::assertStringNotContainsString(
            'buffer',
            (string) $response->getContent(),
            'What is wrong here is none of its business.',
        );
        self::assertMatchesRegularExpression("/spool: .*'github' .*\(reserve\)/", $workbench->log());
    }

    #[Test]
    public function overflow_direct_stores_it_within_the_request(): void
    {
        $workbench = $this->workbenchOn(WorkbenchDatabase::Sqlite, ['SPOOL_MIN_FREE_BYTES' => '1000000000000000']);

        self::assertSame(202, $this->push()->getStatusCode());
        self::assertSame(['delivery-1'], array_column($workbench->rows('webhooks'), 'delivery_id'));
    }

    #[Test]
    public function while_a_secret_is_replaced_both_are_good(): void
    {
        $workbench = $this->workbenchOn();
        $workbench->app->make(Repository::class)->set('services.github.webhook_secret', ['the new one', self::SECRET]);

        self::assertSame(202, $this->push()->getStatusCode());
        self::assertSame(
            202,
            $this->push(headers: ['X-Hub-Signature-256' => 'sha256='.hash_hmac('sha256', self::PUSH, 'the new one')])
                ->getStatusCode(),
        );
    }

    #[Test]
    public function each_scheme_can_stand_in_a_route(): void
    {
        $workbench = $this->workbenchOn();
        $workbench->app->make(Repository::class)
            ->set('services.it.secret', 'whsec_'.base64_encode('a key of at least 24 bytes'));
        Route::post('standard', Webhook::standard('github', secretIn: 'services.it.secret'));
        Route::post('stripe', Webhook::stripe('github', secretIn: 'services.it.secret'));
        Route::post(
            'shop',
            Webhook::hmac(
                'github',
                secretIn: 'services.it.secret',
                header: 'X-Shop-Hmac',
                encoding: 'base64',
                idHeader: 'X-Shop-Id',
                headers: ['X-Shop-Topic', 'X-None'],
            ),
        );
        $now = (string) time();
        $body = '{"id":"evt_1"}';
        $secret = 'whsec_'.base64_encode('a key of at least 24 bytes');

        self::assertSame(
            202,
            $this->post('/standard', $body, [
                'webhook-id' => 'msg_1',
                'webhook-timestamp' => $now,
                'webhook-signature' => 'v1,'
                    .base64_encode(hash_hmac('sha256', "msg_1.{$now}.{$body}", 'a key of at least 24 bytes', true)),
            ])->getStatusCode(),
        );
        self::assertSame(
            202,
            $this->post(
                '/stripe',
                $body,
                ['Stripe-Signature' => "t={$now},v1=".hash_hmac('sha256', "{$now}.{$body}", $secret)],
            )->getStatusCode(),
        );
        self::assertSame(
            202,
            $this->post('/shop', $body, [
                'X-Shop-Hmac' => base64_encode(hash_hmac('sha256', $body, $secret, true)),
                'X-Shop-Id' => 'shop-1',
                'X-Shop-Topic' => 'orders',
            ])->getStatusCode(),
        );
        self::assertSame(
            401,
            $this->post(
                '/standard',
                $body,
                ['webhook-id' => 'msg_2', 'webhook-timestamp' => $now, 'webhook-signature' => 'v1,x'],
            )->getStatusCode(),
        );
        $workbench->artisan('spool:flush', ['bucket' => 'github']);

        self::assertSame(
            [['msg_1', null], ['evt_1', null], ['shop-1', '{"x-shop-topic":"orders"}']],
            array_map(
                static fn (array $row): array => [$row['delivery_id'], $row['headers']],
                $workbench->rows('webhooks'),
            ),
        );
    }

    #[Test]
    #[TestDox('webhook that could not be stored, or whose response was lost')]
    public function a_webhook_that_comes_twice_is_done_once(): void
    {
        $workbench = $this->workbenchOn();
        // Handled in place of stored, as the page says.
        $workbench->app->make(Repository::class)
            ->set('spool.buckets.github', ['sink' => 'handler', 'handler' => RecordPush::class]);
        $this->push();
        $this->push();
        self::assertSame([], $workbench->rows('pushes'));
        $this->push(headers: ['X-GitHub-Event' => 'star', 'X-GitHub-Delivery' => 'delivery-2']);
        $workbench->artisan('spool:flush', ['bucket' => 'github']);
        self::assertSame(
            [['delivery_id' => 'delivery-1', 'repository' => 'octo/hello', 'ref' => 'refs/heads/main']],
            $workbench->rows('pushes'),
        );
    }

    #[Test]
    public function from_cached_routes_a_request_loads_few_files_and_no_secret_is_cached(): void
    {
        $workbench = $this->workbenchOn();
        $workbench->artisanProcess('config:cache');
        $workbench->artisanProcess('route:cache');
        self::assertStringNotContainsString(
            self::SECRET,
            (string) file_get_contents("{$workbench->storage}/bootstrap/routes.php"),
        );
        self::assertStringContainsString(
            'services.github.webhook_secret',
            (string) file_get_contents("{$workbench->storage}/bootstrap/routes.php"),
        );
        $list = "{$workbench->storage}/included.json";
        $server = BuiltInServer::start(new WebConfig(
            dirname(__DIR__).'/fixtures/front.php',
            workers: 1,
            user: 'root',
            env: [
                'HEADROOM_AUTOLOAD' => array_key_first(ClassLoader::getRegisteredLoaders()).'/autoload.php',
                'HEADROOM_INCLUDED' => $list,
                'WORKBENCH_STORAGE' => $workbench->storage,
            ],
        ));

        try {
            foreach ([1, 2] as $round) {
                $headers = [
                    'Content-Type: application/json',
                    'X-GitHub-Event: push',
                    "X-GitHub-Delivery: real-{$round}",
                    'X-Hub-Signature-256: sha256='.hash_hmac('sha256', self::PUSH, self::SECRET),
                ];
                $sent = ['method' => 'POST', 'content' => self::PUSH, 'header' => $headers];
                $answer = Fetched::from("{$server->url()}/hooks/github", $sent);
                self::assertSame(202, $answer->status, $workbench->log());
            }
        } finally {
            $server->stop();
        }

        $workbench->artisan('spool:flush', ['bucket' => 'github']);
        self::assertSame([self::PUSH, self::PUSH], array_column($workbench->rows('webhooks'), 'body'));
        self::assertSame([
            'src/Core/Clock.php',
            'src/Core/SystemClock.php',
            'src/Laravel/HeadroomServiceProvider.php',
            'src/Laravel/Webhooks/HmacScheme.php',
            'src/Laravel/Webhooks/ReceiveWebhook.php',
            'src/Laravel/Webhooks/Scheme.php',
            'src/Laravel/Webhooks/WebhookSettings.php',
            'src/Spool/AppendConfig.php',
            'src/Spool/Bucket.php',
            'src/Spool/Buffer.php',
            'src/Spool/Encoding/Codec.php',
            // The chosen headers are a structured value.
            'src/Spool/Encoding/StructuredValue.php',
            'src/Spool/FileStore/Segment/SegmentWriter.php',
            'src/Spool/Store/Writer.php',
            'src/Spool/Utf8.php',
        ], $this->own($list));
    }

    #[Test]
    public function the_page_shows_the_code_of_the_workbench(): void
    {
        UsePage::of('incoming-webhooks')->shows(
            ['app/Webhooks/RecordPush.php', '/^final readonly class .*/ms'],
            ['config/spool.php', "/^ +'github' => .*$/m"],
            ['config/services.php', "/^ +'github' => .*$/m"],
            ['routes/api.php', "/^Route::post\\(\n    'hooks.*?^\\);$/ms"],
            [
                'database/migrations/2026_03_01_000000_create_webhooks_tables.php',
                "/^ +Schema::create\\('webhooks'.*?^ +}\\);$/ms",
            ],
        );
    }

    /** @return list<string> files of this package */
    private function own(string $list): array
    {
        $files = json_decode((string) file_get_contents($list), true, flags: JSON_THROW_ON_ERROR);
        $root = realpath(dirname(__DIR__, 3)).'/';
        $own = [];

        foreach (is_array($files) ? $files : [] as $file) {
            $path = is_string($file) ? (string) realpath($file) : '';

            if (str_starts_with($path, "{$root}src/")) {
                $own[] = substr($path, strlen($root));
            }
        }

        sort($own);

        return $own;
    }
}
