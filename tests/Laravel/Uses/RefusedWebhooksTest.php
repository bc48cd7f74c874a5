<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Headroom\Laravel\Webhooks\Webhook;
use Headroom\Spool\InvalidEvent;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Spool\Append\Redactor;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Support\Facades\Route;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * docs/uses/incoming-webhooks.md: webhooks that are not taken.
 */
#[Group('snapshot')]
final class RefusedWebhooksTest extends WebhooksTestCase
{
    #[Test]
    public function a_webhook_with_a_wrong_signature_is_refused_and_not_stored(): void
    {
        $workbench = $this->workbenchOn();

        foreach ([
            ['X-Hub-Signature-256' => 'sha256='.hash_hmac('sha256', self::PUSH, 'another')],
            ['X-Hub-Signature-256' => ''],
        ] as $headers) {
            $response = $this->push(headers: $headers);

            self::assertSame(401, $response->getStatusCode());
            self::assertSame('application/problem+json', $response->headers->get('Content-Type'));
            self::assertTrue($response->headers->has('WWW-Authenticate'));
            $problem = (array) json_decode((string) $response->getContent(), true);
            $detail = $problem['detail'] ?? null;
            $expected = ['type' => 'about:blank', 'title' => 'Unauthorized', 'status' => 401, 'detail' => $detail];
            self::assertSame($expected, $problem);
            self::assertIsString($detail);
            Snapshot::assertPrinted('webhook', 'a signature is wrong', $detail);
        }

        $this->assertNothingKept($workbench);
    }

    #[Test]
    public function a_body_that_is_too_large_is_refused_before_it_is_looked_at(): void
    {
        $workbench = $this->workbenchOn();
        Route::post('small', Webhook::github('github', secretIn: 'services.github.webhook_secret', maxBytes: 100));

        self::assertSame(202, $this->push('/small', str_repeat('x', 100))->getStatusCode());
        $response = $this->push('/small', str_repeat('x', 101));
        self::assertSame(413, $response->getStatusCode());
        self::assertSame('application/problem+json', $response->headers->get('Content-Type'));
        self::assertSame(
            413,
            $this->push('/small', 'x', ['Content-Length' => '101'])->getStatusCode(),
            'As the sender says.',
        );
        $response = $this->push('/small', 'x', ['Content-Length' => str_repeat('9', 30)]);
        self::assertSame(413, $response->getStatusCode(), 'More than an integer holds.');
        self::assertSame(
            413,
            $this->push(body: str_repeat("\x01", 200_000))->getStatusCode(),
            'Six bytes each in the buffer.',
        );
        $workbench->artisan('spool:flush', ['bucket' => 'github']);
        self::assertCount(1, $workbench->rows('webhooks'));
    }

    #[Test]
    public function a_secret_that_cannot_match_is_named_in_the_log_and_not_shown(): void
    {
        $workbench = $this->workbenchOn();
        Route::post('standard', Webhook::standard('github', secretIn: 'services.it.secret'));
        $workbench->app->make(Repository::class)
            ->set('services.it.secret', ['whsec_'.base64_encode('a key of at least 24 bytes'), 'whsec_sesame!']);

        self::assertSame(500, $this->push('/standard')->getStatusCode());
        Sentence::assertIn(InvalidConfig::notShown('services.it.secret', Sentence::ANY), $workbench->log());
        self::assertStringNotContainsString('sesame', $workbench->log());
    }

    #[Test]
    public function a_webhook_that_cannot_be_redacted_is_answered_with_500_and_logged(): void
    {
        $workbench = $this->workbenchOn();
        $workbench->app->make(Repository::class)->set('spool.buckets.github.redact', [[Redactor::class, 'fail']]);

        self::assertSame(500, $this->push()->getStatusCode());
        Sentence::assertIn(InvalidEvent::notRedacted(Redactor::class.'::fail', Sentence::ANY), $workbench->log());
        $this->assertNothingKept($workbench);
    }

    #[Test]
    public function without_a_secret_nothing_is_taken_and_the_log_names_the_key(): void
    {
        $workbench = $this->workbenchOn();

        foreach ([null, '', [], [null, '']] as $secret) {
            $workbench->app->make(Repository::class)->set('services.github.webhook_secret', $secret);

            self::assertSame(
                500,
                $this->push(headers: ['X-Hub-Signature-256' => 'sha256='.hash_hmac('sha256', self::PUSH, '')])
                    ->getStatusCode(),
            );
        }

        Sentence::assertIn(InvalidConfig::missing('services.github.webhook_secret', Sentence::ANY), $workbench->log());
        $this->assertNothingKept($workbench);
    }

    #[Test]
    public function a_body_that_is_not_utf8_is_never_altered(): void
    {
        $workbench = $this->workbenchOn();

        self::assertSame(500, $this->push(body: "caf\xE9")->getStatusCode());
        self::assertStringContainsString('spool.buckets.github.utf8', $workbench->log());
        $this->assertNothingKept($workbench);

        // Another bucket is another configuration, which is read once.
        $this->workbench = $workbench = $workbench->reboot();
        $workbench->app->make(Repository::class)->set('spool.buckets.github.utf8', 'binary');
        self::assertSame(202, $this->push(body: "caf\xE9")->getStatusCode(), $workbench->log());
        $workbench->artisan('spool:flush', ['bucket' => 'github']);
        self::assertSame(["caf\xE9"], array_column($workbench->rows('webhooks'), 'body'));
    }

    private function assertNothingKept(WorkbenchApplication $workbench): void
    {
        $workbench->artisan('spool:flush', ['bucket' => 'github']);

        self::assertSame([], $workbench->rows('webhooks'));
    }
}
