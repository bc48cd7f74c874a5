<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Headroom\Tests\Laravel\WorkbenchApplication;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Illuminate\Contracts\Http\Kernel;
use Illuminate\Http\Request;
use PHPUnit\Framework\TestCase;
use Symfony\Component\HttpFoundation\Response;

/**
 * A workbench that takes webhooks of GitHub.
 */
abstract class WebhooksTestCase extends TestCase
{
    protected const SECRET = "It's a Secret to Everybody";

    protected const PUSH =
        '{"ref": "refs/heads/main", "repository": {"full_name": "octo/hello"}, "text": "Grüße \\u0000 🚀\\/"}';

    protected ?WorkbenchApplication $workbench = null;

    protected function tearDown(): void
    {
        $this->workbench?->shut();
        $this->workbench = null;
    }

    /** @param array<string, string> $headers */
    protected function push(string $uri = '/hooks/github', string $body = self::PUSH, array $headers = []): Response
    {
        return $this->post($uri, $body, [
            'X-GitHub-Event' => 'push',
            'X-GitHub-Delivery' => 'delivery-1',
            'X-Hub-Signature-256' => 'sha256='.hash_hmac('sha256', $body, self::SECRET),
            ...$headers,
        ]);
    }

    /** @param array<string, string> $headers */
    protected function post(string $uri, string $body, array $headers): Response
    {
        $request = Request::create($uri, 'POST', server: ['CONTENT_TYPE' => 'application/json'], content: $body);
        $request->headers->add($headers);
        self::assertNotNull($this->workbench);

        return $this->workbench->app->make(Kernel::class)->handle($request);
    }

    /** @param array<string, string> $environment */
    protected function workbenchOn(
        WorkbenchDatabase $database = WorkbenchDatabase::Sqlite,
        array $environment = [],
    ): WorkbenchApplication {
        return $this->workbench = WorkbenchApplication::boot([
            ...$database->environment(),
            'GITHUB_WEBHOOK_SECRET' => self::SECRET,
            ...$environment,
        ])->migrate();
    }
}
