<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Laravel\Http\Authorize;
use Headroom\Spool\Buffer;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Foundation\Auth\User;
use Illuminate\Support\Facades\Auth;
use Illuminate\Support\Facades\Gate;
use PHPUnit\Framework\TestCase;
use Symfony\Component\HttpFoundation\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * The dashboard of the workbench application in production, through its kernel, with sessions in files. The user 7 may
 * manage, the user 3 may only view.
 */
abstract class DashboardTestCase extends TestCase
{
    protected const KEY = 'base64:a2tra2tra2tra2tra2tra2tra2tra2tra2tra2tra2s=';

    protected ?WorkbenchApplication $workbench = null;

    /** @var array<string, string> */
    private array $cookies = [];

    protected string $token = '';

    protected string $csrf = '';

    protected function tearDown(): void
    {
        $this->workbench?->shut();
    }

    /** @param array<string, string> $environment */
    protected function boot(array $environment = []): WorkbenchApplication
    {
        $workbench = WorkbenchApplication::boot([
            'APP_ENV' => 'production',
            'APP_KEY' => self::KEY,
            'SESSION_DRIVER' => 'file',
            ...$environment,
        ]);
        $this->workbench = $workbench;
        $this->gates();

        return $workbench;
    }

    protected function gates(): void
    {
        Gate::define(Authorize::ABILITY, static fn (User $user): bool => in_array($user->getKey(), [3, 7], true));
        Gate::define(Authorize::MANAGE, static fn (User $user): bool => $user->getKey() === 7);
    }

    protected function app(): WorkbenchApplication
    {
        return $this->workbench ?? $this->boot();
    }

    protected function spool(): SpoolServices
    {
        return $this->app()->app->make(SpoolServices::class);
    }

    /** @param array<string, mixed> ...$rows */
    protected function buffer(string $bucket, array ...$rows): void
    {
        $this->app()->app->make(Buffer::class)->bucket($bucket)->addMany($rows);
    }

    protected function set(string $key, mixed $value): void
    {
        $this->app()->app->make(Repository::class)->set($key, $value);
    }

    /** Opens the page as this user and takes its tokens. */
    protected function open(int $user = 7): string
    {
        $this->app();
        Auth::setUser((new User)->forceFill(['id' => $user]));
        $document = (string) $this->send(Request::create('/headroom'))->getContent();
        $this->token = self::attribute($document, 'token');
        $this->csrf = self::attribute($document, 'csrf');

        return $document;
    }

    protected static function attribute(string $document, string $name): string
    {
        return preg_match("/data-{$name}=\"([^\"]*)\"/", $document, $m) === 1 ? html_entity_decode($m[1]) : '';
    }

    /** @param array<string, string> $headers */
    protected function send(Request $request, array $headers = []): Response
    {
        $request->headers->add($headers);
        $request->cookies->add($this->cookies);
        $response = $this->app()->send($request);

        foreach ($response->headers->getCookies() as $cookie) {
            $this->cookies[$cookie->getName()] = (string) $cookie->getValue();
        }

        return $response;
    }

    protected function data(string $path, ?string $token = null): Response
    {
        return $this->send(Request::create("/headroom/data/{$path}"), ['X-Headroom-Token' => $token ?? $this->token]);
    }

    /** @return array<string, mixed> */
    protected function json(string $path): array
    {
        $response = $this->data($path);
        self::assertSame(
            200,
            $response->getStatusCode(),
            "{$response->getContent()}\n".substr($this->app()->log(), 0, 800),
        );

        return self::decoded($response);
    }

    /** @return array<string, mixed> */
    protected static function decoded(Response $response): array
    {
        $values = json_decode((string) $response->getContent(), true, 512, JSON_THROW_ON_ERROR);
        self::assertIsArray($values);
        $named = [];

        foreach ($values as $name => $value) {
            $named[(string) $name] = $value;
        }

        return $named;
    }

    /**
     * @param array<string, mixed> $body
     * @param array<string, string> $headers
     */
    protected function act(string $action, array $body, array $headers = []): Response
    {
        return $this->send(
            Request::create("/headroom/actions/{$action}", 'POST', content: json_encode($body, JSON_THROW_ON_ERROR)),
            $headers + ['Content-Type' => 'application/json', 'X-CSRF-TOKEN' => $this->csrf],
        );
    }

    /**
     * @param array<array-key, mixed> $values
     * @return array<array-key, mixed>
     */
    protected static function list(array $values, string $name): array
    {
        self::assertIsArray($values[$name] ?? null, $name);

        return $values[$name];
    }

    /** @return array<array-key, mixed> one bucket of data/now */
    protected function bucket(string $name): array
    {
        foreach (self::list($this->json('now'), 'buckets') as $bucket) {
            if (is_array($bucket) && ($bucket['bucket'] ?? null) === $name) {
                return $bucket;
            }
        }

        self::fail("There is no bucket {$name}.");
    }
}
