<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Core\Options;
use Headroom\Host\Daemon;
use Headroom\Host\Launch;
use Headroom\Host\Programs;
use Headroom\Host\Signal;
use Headroom\Host\TemporaryDirectory;
use Headroom\Sink\Elasticsearch\Cluster;
use Headroom\Sink\Elasticsearch\ElasticsearchOptions;
use Headroom\Sink\Elasticsearch\IndexSetup;
use Headroom\Sink\SetupWish;
use Headroom\Sink\Transport\HttpClient;
use PHPUnit\Framework\Assert;
use RuntimeException;

/**
 * A real OpenSearch: the one that `bin/services run opensearch` started, or one of the run's own, from the fixtures. Where
 * neither can be had the test is skipped, also where CI=true.
 */
final class SearchServer
{
    private static ?self $own = null;

    private function __construct(public readonly string $url) {}

    public static function get(): self
    {
        $url = getenv('HEADROOM_OPENSEARCH_URL');

        return is_string($url) && $url !== '' ? new self($url) : self::$own ??= self::start();
    }

    /** Options of a bucket that goes to a data stream made as `collect:install` makes it. */
    public function installed(string $stream): Options
    {
        $options = new Options(['url' => $this->url, 'index' => $stream], 'spool.buckets.events');
        $read = ElasticsearchOptions::from($options);
        (new IndexSetup($read, new Cluster($read, new HttpClient)))->run(new SetupWish);

        return $options;
    }

    /** @param list<array<string, mixed>> $documents */
    public function fill(string $index, array $documents): void
    {
        foreach (array_chunk($documents, 5_000) as $chunk) {
            $lines = array_map(static fn (array $document): string => '{"create":{}}'."\n".json_encode($document, JSON_THROW_ON_ERROR)."\n", $chunk);
            $answer = $this->send('POST', "/{$index}/_bulk?filter_path=errors,items.*.error", implode('', $lines), 'application/x-ndjson');
            Assert::assertSame(['errors' => false], $answer);
        }

        $this->send('POST', "/{$index}/_refresh");
    }

    public function remove(string $stream): void
    {
        $this->send('DELETE', "/_data_stream/{$stream}");
        $this->send('DELETE', "/_index_template/headroom-{$stream}");
    }

    /** @return array<array-key, mixed> */
    public function send(string $method, string $path, string $body = '', string $type = 'application/json'): array
    {
        $answer = file_get_contents($this->url.$path, context: stream_context_create(['http' => [
            'method' => $method, 'content' => $body, 'header' => "Content-Type: {$type}\r\nConnection: close\r\n", 'ignore_errors' => true, 'timeout' => 60,
        ]]));
        $read = json_decode((string) $answer, true);

        return is_array($read) ? $read : throw new RuntimeException("{$method} {$path}: {$answer}");
    }

    private static function start(): self
    {
        $directory = getenv('HEADROOM_FIXTURES');
        $script = ($directory === false ? dirname(__DIR__, 3).'/shared' : $directory).'/opensearch/start.sh';

        if (! is_executable($script) || Programs::optional('java') === null) {
            Assert::markTestSkipped('No OpenSearch can be had here: it takes the fixtures (HEADROOM_FIXTURES) and openjdk-17-jre-headless.');
        }

        $data = TemporaryDirectory::create('opensearch');
        $log = $data->file('log');
        $daemon = Daemon::start(new Launch('OpenSearch', [$script, $data->file('data')], $log, [], [Signal::Terminate]));
        $daemon->awaitReady(static fn (): bool => str_contains((string) file_get_contents($log), "\nREADY "), 60_000);
        preg_match('/^READY (\d+)$/m', (string) file_get_contents($log), $ready);
        register_shutdown_function(static function () use ($daemon, $data): void {
            $daemon->stop();
            $data->remove();
        });

        return new self('http://127.0.0.1:'.($ready[1] ?? '0'));
    }
}
