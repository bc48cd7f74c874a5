<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\OpenSearch;

use Headroom\Process\ChildProcess;
use Headroom\Process\ProcessOptions;
use Headroom\Process\Programs;
use Headroom\Process\ShutdownHandler;
use Headroom\Process\Stoppable;
use Headroom\Process\TemporaryDirectory;
use Headroom\Process\UnableToStart;
use PHPUnit\Framework\Assert;

/**
 * A real OpenSearch: the one of bin/services, or one that is started for this run of the tests, once. Its jars are too
 * large for this repository and lie beside it; where they do not, tests that need it are skipped by name.
 */
final class OpenSearchServer implements Stoppable
{
    private const TRIES = 3;

    /** It lives for minutes: to compile well what it does would take more of the CPUs than to do it. */
    private const JAVA = '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC';

    private static ?self $started = null;

    /** Tried once for all tests: each try may take minutes. */
    private static ?UnableToStart $failure = null;

    private function __construct(
        private readonly ?ChildProcess $daemon,
        private readonly ?TemporaryDirectory $directory,
        public readonly string $url,
    ) {}

    public static function get(): self
    {
        if (self::$failure !== null) {
            throw self::$failure;
        }

        return self::$started ??= self::running() ?? self::start();
    }

    public function stop(): void
    {
        $this->daemon?->stop();
        $this->directory?->remove();
    }

    /**
     * @param ?array<mixed> $body
     * @return array<mixed>
     */
    public function ask(string $method, string $path, ?array $body = null): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => 'Content-Type: application/json',
            'content' => $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR),
            'ignore_errors' => true,
            'timeout' => 30,
        ]]);
        $answer = file_get_contents($this->url.$path, false, $context);
        $document = json_decode((string) $answer, true);
        Assert::assertIsArray($document, "{$method} {$path} was answered with {$answer}");

        return $document;
    }

    /**
     * @return list<array{_id: string, _source: array<string, mixed>}>
     */
    public function documents(string $index): array
    {
        $this->ask('POST', "/{$index}/_refresh");
        $answer = $this->ask('GET', "/{$index}/_search?size=10000");
        Assert::assertIsArray($answer['hits'] ?? null, (string) json_encode($answer));
        Assert::assertIsArray($answer['hits']['hits']);

        /** @var list<array{_id: string, _source: array<string, mixed>}> */
        return $answer['hits']['hits'];
    }

    private static function running(): ?self
    {
        $url = getenv('HEADROOM_OPENSEARCH_URL');

        return $url === false ? null : new self(null, null, $url);
    }

    private static function start(): self
    {
        $fixtures = getenv('HEADROOM_FIXTURES');
        $script = ($fixtures === false ? dirname(__DIR__, 4).'/shared' : $fixtures).'/opensearch/start.sh';

        if (! is_file($script) || Programs::optional('java') === null) {
            Assert::markTestSkipped(
                "OpenSearch is not here: it takes {$script} (HEADROOM_FIXTURES says where that lies) and a Java of"
                    .' version 17 or newer: bin/services install opensearch.',
            );
        }

        for ($try = 1; ; $try++) {
            try {
                return self::startedBy($script);
            } catch (UnableToStart $e) {
                // It picks free ports and listens seconds later. Another process may have taken them by then.
                $try < self::TRIES || throw self::$failure = $e;
            }
        }
    }

    private static function startedBy(string $script): self
    {
        $directory = TemporaryDirectory::create('opensearch');
        $log = $directory->file('log');
        $daemon = ChildProcess::start(new ProcessOptions(
            'OpenSearch',
            [$script, $directory->file('data')],
            $log,
            ['JDK_JAVA_OPTIONS' => self::JAVA],
        ));
        $port = '';
        $daemon->awaitReady(static function () use ($log, &$port): bool {
            $isReady = preg_match('/^READY (\d+)$/m', (string) file_get_contents($log), $m) === 1;
            $port = $m[1] ?? '';

            return $isReady;
        }, 300_000);
        $server = new self($daemon, $directory, "http://127.0.0.1:{$port}");
        ShutdownHandler::stop($server);

        return $server;
    }
}
