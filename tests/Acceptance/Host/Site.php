<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Host\WebConfig;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Assert;

/**
 * A small application that tells what it sees. It lies where every user can read it.
 */
final readonly class Site
{
    private const FRONT = <<<'PHP'
        <?php
        usleep((int) ($_GET['sleep'] ?? 0));
        header('Content-Type: application/json');
        echo json_encode([
            'pid' => getmypid(),
            'user' => posix_geteuid(),
            'method' => $_SERVER['REQUEST_METHOD'],
            'path' => parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH),
            'body' => md5(file_get_contents('php://input')),
            'env' => getenv('SITE_ENV'),
            'foreign' => getenv('HEADROOM_FOREIGN'),
            'memory_limit' => ini_get('memory_limit'),
            'opcache' => ini_get('opcache.memory_consumption'),
        ]);
        PHP;

    private function __construct(private TemporaryDirectory $directory) {}

    public static function create(): self
    {
        $site = new self(TemporaryDirectory::create('site'));
        chmod($site->directory->path, 0o755);
        chmod($site->directory->write('index.php', self::FRONT), 0o644);
        chmod($site->directory->write('hello.txt', 'hello'), 0o644);
        chmod($site->directory->write('secret.php', '<?php // source'), 0o644);

        return $site;
    }

    /**
     * @param array<string, string> $env
     * @param array<string, string|int|bool> $ini
     */
    public function config(int $workers, array $env = [], array $ini = []): WebConfig
    {
        return new WebConfig($this->front(), $workers, $env, $ini);
    }

    public function front(): string
    {
        return $this->directory->file('index.php');
    }

    public function remove(): void
    {
        $this->directory->remove();
    }

    /** The user id that its workers have: a server that root starts gives them to www-data. */
    public static function workersUser(): int
    {
        return posix_geteuid() === 0 ? posix_getpwnam('www-data')['uid'] ?? -1 : posix_geteuid();
    }

    /** @return array<array-key, mixed> what the front controller says */
    public static function ask(string $url, string $body = ''): array
    {
        $answer = json_decode(self::get($url, $body), true);
        Assert::assertIsArray($answer);

        return $answer;
    }

    public static function get(string $url, string $body = ''): string
    {
        $http = ['timeout' => 10, 'ignore_errors' => true];
        $context = stream_context_create([
            'http' => $body === ''
                ? $http
                : $http + [
                    'method' => 'POST',
                    'content' => $body,
                    'header' => 'Content-Type: application/octet-stream',
                ],
        ]);

        return (string) file_get_contents($url, false, $context);
    }
}
