<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Laravel\Alerts\AlertNotification;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Laravel\Support\AlertsTestCase;
use Headroom\Tests\Support\Markdown\CodeBlock;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use Illuminate\Auth\GenericUser;
use Illuminate\Contracts\Auth\Access\Gate as Access;
use PHPUnit\Framework\Attributes\Test;

/**
 * The code of docs/alerts.md and the gates of docs/dashboard.md, in an application without anything else.
 */
final class AlertsPageTest extends AlertsTestCase
{
    #[Test]
    public function the_channel_of_the_page_takes_a_message(): void
    {
        foreach (self::blocks('docs/alerts.md') as $block) {
            if (str_starts_with((string) $block->file(), 'app/Alerts/')) {
                $this->load($block->code);
            }
        }

        $server = ScriptedServer::start();
        $server->always(['status' => 200, 'body' => 'ok', 'keeps' => false]);
        $this->configure(['notifiable' => 'App\Alerts\OnCall']);
        $this->config()->set('services.on_call.url', $server->url());
        $this->on->workbench->app->bind(AlertNotification::class, 'App\Alerts\OnCallNotification');

        try {
            $deliveries = $this->services()->test();
            self::assertSame([null], array_column($deliveries, 'failure'));
            self::assertStringContainsString('Test message', $server->requests()[0]->body);
            self::assertSame([], $this->mails());
        } finally {
            $server->stop();
        }
    }

    #[Test]
    public function the_gates_of_the_page_need_no_further_column(): void
    {
        foreach (self::blocks('docs/dashboard.md') as $block) {
            if (str_contains($block->code, 'Gate::define(')) {
                $this->load(str_replace('App\Models\User', GenericUser::class.' as User', $block->code));
            }
        }

        $allowed = [];

        foreach (['new@example.com', 'dev@example.com', 'ops@example.com'] as $email) {
            $user = new GenericUser(['email' => $email, 'id' => 1]);
            $gate = $this->on->workbench->app->make(Access::class)->forUser($user);
            $allowed[$email] = [$gate->allows('viewHeadroom'), $gate->allows('manageHeadroom')];
        }

        self::assertSame([
            'new@example.com' => [false, false], 'dev@example.com' => [true, false], 'ops@example.com' => [true, true],
        ], $allowed);
    }

    /** @return list<CodeBlock> */
    private static function blocks(string $page): array
    {
        return MarkdownPage::at($page)->blocks('php');
    }

    private function load(string $code): void
    {
        $file = tempnam(sys_get_temp_dir(), 'page');
        self::assertIsString($file);

        try {
            file_put_contents($file, "<?php\n{$code}");
            require $file;
        } finally {
            unlink($file);
        }
    }
}
