<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use Headroom\Spool\Cron;
use PHPat\Selector\Selector;
use PHPat\Selector\SelectorInterface;
use PHPat\Test\Attributes\TestRule;
use PHPat\Test\Builder\Rule;
use PHPat\Test\PHPat;

/**
 * The imports of each room, those of rooms that measure in MeasurementRules. A room that is not named here is refused.
 * ImportRulesTest plants a breach of every rule.
 */
final class ImportRules
{
    use MeasurementRules;

    #[TestRule]
    public function core(): Rule
    {
        return $this->allow(
            Rooms::room('Core'),
            [Rooms::room('Core'), Selector::inNamespace('Psr\Log'), Selector::inNamespace('Psr\Clock')],
            'Core holds what every room needs, so it needs none of them.',
        );
    }

    #[TestRule]
    public function support(): Rule
    {
        return $this->allow(
            Rooms::room('Support'),
            Rooms::all('Support', 'Core'),
            'Support holds small tools without a domain.',
        );
    }

    #[TestRule]
    public function process(): Rule
    {
        return $this->allow(
            Rooms::room('Process'),
            [...Rooms::all('Process', 'Core', 'Support'), Selector::inNamespace('Symfony\Component\Process')],
            'A supervisor knows neither the work of its processes nor the terminal.',
        );
    }

    #[TestRule]
    public function http(): Rule
    {
        return $this->allow(
            Rooms::room('Http'),
            Rooms::all('Http', 'Core', 'Support'),
            'Http parses and writes messages for a server and for clients; it knows neither sockets nor a loop.',
        );
    }

    #[TestRule]
    public function host(): Rule
    {
        return $this->allow(
            Rooms::room('Host'),
            [...Rooms::all('Host', 'Process', 'Core', 'Support'), Selector::inNamespace('Symfony\Component\Process')],
            'Host drives the machine for other rooms and knows nothing of what they do with it.',
        );
    }

    #[TestRule]
    public function sink_door(): Rule
    {
        return $this->allow(
            Rooms::door('Sink'),
            [...Rooms::all('Core', 'Support'), Rooms::door('Sink')],
            'A port that knew its adapters would pull every client library in with it.',
        );
    }

    /** @return iterable<string, Rule> */
    #[TestRule]
    public function sink_adapter(): iterable
    {
        foreach (Rooms::SINK_ADAPTERS as $adapter) {
            $own = Rooms::room('Sink\\'.$adapter);
            $shared = [...Rooms::all('Core', 'Support', 'Sink\HttpClient'), Rooms::door('Sink')];
            $client = $adapter === 'Database' ? [Selector::inNamespace('Illuminate\Database')] : [];

            yield '.'.$adapter => $this->allow(
                $own,
                [$own, ...$shared, ...$client],
                'Adapters do not import each other, so that each can leave for a package of its own;'
                    .' HTTP adapters share Sink\HttpClient.',
            );
        }
    }

    #[TestRule]
    public function sink_http_client(): Rule
    {
        return $this->allow(
            Rooms::room('Sink\HttpClient'),
            [
                ...Rooms::all('Sink\HttpClient', 'Core', 'Support'),
                Rooms::door('Sink'),
                Selector::inNamespace('GuzzleHttp'),
                Selector::inNamespace('Psr\Http\Message'),
            ],
            'HttpClient is the only place that knows Guzzle; it serves the adapters and knows none.',
        );
    }

    #[TestRule]
    public function sink_folders(): Rule
    {
        return PHPat::rule()
            ->classes(Rooms::sinkAdapters())
            ->excluding(...Rooms::all(
                'Sink\HttpClient',
                ...array_map(static fn (string $name): string => 'Sink\\'.$name, Rooms::SINK_ADAPTERS),
            ))
            ->shouldNot()->exist()
            ->because(
                'A new adapter is named in Rooms::SINK_ADAPTERS, with its client here, so that its imports'
                    .' are checked.',
            );
    }

    #[TestRule]
    public function spool(): Rule
    {
        return $this->allow(
            Rooms::room('Spool'),
            [...Rooms::all('Spool', 'Core', 'Support'), Rooms::door('Sink'), Selector::inNamespace('Psr\Log')],
            'The buffer must work with nothing but PHP and a directory; it gets its sinks through SinkFactory.',
            [Rooms::room('Spool\RedisStore\Client'), Rooms::room('Spool\Worker'), Selector::classname(Cron::class)],
        );
    }

    #[TestRule]
    public function spool_cron(): Rule
    {
        return $this->allow(
            Selector::classname(Cron::class),
            [Rooms::door('Spool'), Selector::inNamespace('Cron')],
            'Only Cron knows the package that reads cron expressions: a bucket without a schedule needs none.',
        );
    }

    #[TestRule]
    public function spool_worker(): Rule
    {
        return $this->allow(
            Rooms::room('Spool\Worker'),
            [
                ...Rooms::all('Spool', 'Core', 'Support', 'Process\Supervision'),
                Rooms::door('Sink'),
                Selector::inNamespace('Psr\Log'),
            ],
            'A worker runs below a supervisor and stops by its signals; it prints through WorkerOutput.',
        );
    }

    #[TestRule]
    public function charts(): Rule
    {
        return $this->allow(
            Rooms::room('Charts'),
            [...Rooms::all('Charts', 'Core', 'Support', 'Sink\Elasticsearch', 'Sink\HttpClient'), Rooms::door('Sink')],
            'Charts read the index that the Elasticsearch sink writes.',
        );
    }

    #[TestRule]
    public function spool_redis(): Rule
    {
        return $this->allow(
            Rooms::room('Spool\RedisStore\Client'),
            [
                ...Rooms::all('Spool', 'Core', 'Support'),
                Rooms::door('Sink'),
                Selector::inNamespace('Psr\Log'),
                Rooms::redisClient(),
            ],
            'Only the Redis store knows a Redis client.',
        );
    }

    #[TestRule]
    public function collector(): Rule
    {
        return $this->allow(
            Rooms::room('Collector'),
            self::collectorImports(),
            'The collector writes through the door of Spool and runs without Laravel;'
                .' its loop stays in Collector\Server.',
            Rooms::all('Collector\Server', 'Collector\Ingest\Schema'),
        );
    }

    #[TestRule]
    public function collector_server(): Rule
    {
        return $this->allow(
            Rooms::room('Collector\Server'),
            [...self::collectorImports(), Selector::inNamespace('React')],
            'Collector\Server is the only place that imports React.',
        );
    }

    #[TestRule]
    public function collector_schema(): Rule
    {
        return $this->allow(
            Rooms::room('Collector\Ingest\Schema'),
            [
                ...Rooms::all('Collector', 'Core', 'Support'),
                Rooms::door('Spool'),
                Selector::inNamespace('JsonSchema'),
                Selector::inNamespace('Opis\JsonSchema'),
            ],
            'Only Collector\Ingest\Schema knows the JSON Schema library.',
        );
    }

    #[TestRule]
    public function collector_door(): Rule
    {
        return $this->forbid(
            [Rooms::door('Collector')],
            Rooms::all('Collector\Ingest', 'Collector\Server', 'Collector\Sapi'),
            'The door of the collector has types that its folders import; it imports none of them.',
        );
    }

    #[TestRule]
    public function collector_ingest(): Rule
    {
        return $this->forbid(
            [Rooms::room('Collector\Ingest')],
            Rooms::all('Collector\Server', 'Collector\Sapi'),
            'Ingest is pure: it runs in a loop and in PHP-FPM alike.',
        );
    }

    #[TestRule]
    public function collector_server_arrows(): Rule
    {
        return $this->forbid([Rooms::room('Collector\Server')], [Rooms::room('Collector\Sapi')], 'Sapi uses Server.');
    }

    #[TestRule]
    public function report(): Rule
    {
        return $this->allow(
            Rooms::room('Report'),
            [...Rooms::all('Report', 'Core', 'Support'), Selector::inNamespace('Symfony\Component\Console')],
            'Report draws what it is given and does not know who measured it.',
        );
    }

    #[TestRule]
    public function testing(): Rule
    {
        return $this->allow(
            Rooms::room('Testing'),
            [
                ...Rooms::all('Testing', 'Core', 'Support'),
                Rooms::anyDoor(),
                ...Rooms::spoolSeams(),
                Selector::inNamespace('PHPUnit'),
            ],
            'Users inherit these classes, so they may only show what is public.',
        );
    }

    #[TestRule]
    public function console(): Rule
    {
        return $this->allow(
            Rooms::room('Console'),
            [
                ...Rooms::all(...array_diff(Rooms::NAMES, ['Laravel'])),
                Selector::inNamespace('Symfony\Component\Console'),
            ],
            'bin/headroom needs no Laravel application.',
        );
    }

    #[TestRule]
    public function laravel(): Rule
    {
        return $this->allow(
            Rooms::room('Laravel'),
            [
                ...Rooms::all(...Rooms::NAMES),
                // The card of Pulse is loaded only where Pulse is installed.
                ...array_map(Selector::inNamespace(...), ['Illuminate', 'Monolog', 'Laravel\Pulse', 'Livewire']),
                ...array_map(Rooms::symfony(...), ['Console', 'HttpFoundation']),
            ],
            'The Laravel room joins the others to the framework; another library belongs to the room that needs it.',
        );
    }

    #[TestRule]
    public function illuminate(): Rule
    {
        return $this->forbid(
            [Rooms::room('')],
            [Selector::inNamespace('Illuminate')],
            'Laravel is known in src/Laravel and, its database layer, in src/Sink/Database;'
                .' everything else runs without it.',
            Rooms::all(
                'Laravel',
                'Sink\Database',
                'Bench\Queues\Drivers',
                'Bench\Queues\Worker',
                'Benchmarks',
                'Tests',
                'Dev',
            ),
        );
    }

    #[TestRule]
    public function react(): Rule
    {
        return $this->forbid(
            [Rooms::room('')],
            [Selector::inNamespace('React')],
            'An application that only buffers does not install an event loop.',
            Rooms::all('Collector\Server', 'Benchmarks', 'Tests', 'Dev'),
        );
    }

    #[TestRule]
    public function adapters_are_named_in_composition_roots(): Rule
    {
        return $this->forbid(
            [Rooms::room('')],
            [Rooms::sinkAdapters()],
            'Adapters are named by the Laravel provider, its SinkFactory, the page that reads an index and the'
                .' console\'s Bootstrap only; every other class asks SinkFactory.',
            [
                ...Rooms::all('Sink', 'Charts', 'Benchmarks', 'Tests', 'Dev'),
                Selector::classname('Headroom\Laravel\HeadroomServiceProvider'),
                Selector::classname('Headroom\Laravel\Sinks\LaravelSinkFactory'),
                Selector::classname('Headroom\Laravel\Http\Charts\ChartController'),
                Selector::classname('Headroom\Console\Standalone\Bootstrap'),
            ],
        );
    }

    #[TestRule]
    public function rooms(): Rule
    {
        return PHPat::rule()
            ->classes(Rooms::room(''))
            ->excluding(...Rooms::all('Benchmarks', 'Tests', 'Dev', ...Rooms::NAMES))
            ->shouldNot()->exist()
            ->because('A new room is named in Rooms::NAMES and gets its rule here, so that its imports are checked.');
    }

    /** @return list<SelectorInterface> */
    private static function collectorImports(): array
    {
        $rooms = Rooms::all('Collector', 'Http', 'Core', 'Support', 'Process');

        return [...$rooms, Rooms::door('Spool'), ...Rooms::spoolSeams()];
    }

    /**
     * @param list<SelectorInterface> $targets
     * @param list<SelectorInterface> $except
     */
    private function allow(SelectorInterface $subject, array $targets, string $because, array $except = []): Rule
    {
        return PHPat::rule()
            ->classes($subject)->excluding(...$except)
            ->canOnly()->dependOn()
            ->classes(new PhpItself, ...$targets)
            ->because($because);
    }

    /**
     * @param list<SelectorInterface> $subjects
     * @param list<SelectorInterface> $targets
     * @param list<SelectorInterface> $except
     */
    private function forbid(array $subjects, array $targets, string $because, array $except = []): Rule
    {
        return PHPat::rule()
            ->classes(...$subjects)->excluding(...$except)
            ->shouldNot()->dependOn()
            ->classes(...$targets)
            ->because($because);
    }
}
