<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Wire;

use Headroom\Collector\Ingest\ErrorCode;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Shell;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use Headroom\Tests\Acceptance\Collector\Support\Handlers\Thrower;
use Headroom\Tests\Acceptance\Collector\Support\Running;
use Headroom\Tests\Acceptance\Collector\Wire\Support\Ask;
use Headroom\Tests\Acceptance\Collector\Wire\Support\Asks;
use Headroom\Tests\Acceptance\Collector\Wire\Support\Description;
use Headroom\Tests\Acceptance\Collector\Wire\Support\Said;
use Headroom\Tests\Acceptance\Collector\Wire\Support\ServedFrontController;
use Headroom\Tests\Acceptance\Collector\Wire\Support\Silent;
use Headroom\Tests\Architecture\Files;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Compares docs/collector.openapi.json with a running collector, both ways: the collector gives each response of the
 * description, and each response of the collector is described, with its headers and its body.
 */
final class OpenApiTest extends TestCase
{
    private const TYPES = ['t', 'page', 'screen', 'identify', 'group', 'alias', 'metric', 'order.*'];

    private const LIMITS = ['max_event_bytes' => 4_096, 'max_batch_bytes' => 16_384, 'max_batch_events' => 5];

    private const TRIES = 60;

    #[Test, Group('day-1')]
    public function each_answer_is_given_and_each_that_is_given_is_described(): void
    {
        $description = new Description;
        [$addresses, $keys, $running] = $this->collectors();
        $controllers = [
            'unset front controller' => ServedFrontController::unset(),
            'halving front controller' => ServedFrontController::halving(),
        ];
        $addresses += array_map(
            static fn (ServedFrontController $controller): string => $controller->address,
            $controllers,
        );
        $given = $headers = $codes = $wrong = [];

        foreach ((new Asks($keys))->all() as $ask) {
            $said = $this->said($addresses[$ask->to], $ask);
            $wrong = [...$wrong, ...$this->unlike($said)];
            $response = $description->responseTo($said);
            $pointer = $response === null
                ? '#/components/responses/'.($said->status === 404 ? 'NotFound' : 'MethodNotAllowed')
                : $description->pointer($response);
            $wrong = [
                ...$wrong,
                ...array_map(
                    static fn (string $complaint): string => "{$ask->words()}: it {$complaint}",
                    $description->complaints($pointer, $said),
                ),
            ];

            if (
                $ask->method === 'POST'
                && in_array($said->status, [200, 202, 204], true)
                && ! str_contains($said->body, '"rejected":1')
            ) {
                $wrong = [
                    ...$wrong,
                    ...array_map(
                        static fn (string $complaint): string => "{$ask->words()}: it was taken, and {$complaint}",
                        $description->complaintsOfRequest($said),
                    ),
                ];
            }

            $given[$response ?? ''] = true;
            $headers[$pointer] = array_merge(
                $headers[$pointer] ?? [],
                array_fill_keys(array_keys($said->headers), true),
            );
            preg_match_all('/"code":"(\w+)"/', $said->body, $seen);
            $codes += array_fill_keys($seen[1], true);
        }

        self::assertSame('', implode("\n", $wrong));
        self::assertSame(
            [],
            array_values(array_diff($description->responses(), array_keys($given))),
            'These answers are described, and were never got.',
        );

        foreach ($headers as $pointer => $seen) {
            self::assertSame(
                [],
                array_values(array_diff(array_keys($description->headers($pointer)), array_keys($seen))),
                "These headers of {$pointer} are described, and were never seen.",
            );
        }

        self::assertEqualsCanonicalizing(
            $description->codes(),
            array_keys($codes),
            'The codes that are described, and those that were seen.',
        );
        array_map(static fn (ServedFrontController $controller) => $controller->end(), $controllers);
        array_map(static fn (Running $collector) => $collector->end(), $running);
    }

    #[Test]
    public function every_code_of_pipeline_parser_server_and_front_controller_is_described(): void
    {
        preg_match_all("/new self\\(\\s*\\d{3},\\s*'(\\w+)'/", Files::read('src/Http/HttpError.php'), $parser);
        preg_match_all(
            "/(?:Problem|self)::response\\(\\s*\\d{3},\\s*'(\\w+)'/",
            implode('', array_map(Files::read(...), [
                'src/Collector/Problem.php', 'src/Collector/Ingest/AppendOutcome.php',
                ...Files::php('src/Collector/Server'),
            ])),
            $server,
        );
        preg_match_all(
            "/(?:Problem::response\\(\\s*\\d{3},\\s*'|\"code\":\")(\\w+)/",
            implode(
                '',
                array_map(Files::read(...), ['resources/sapi/ingest.php', ...Files::php('src/Collector/Sapi')]),
            ),
            $sapi,
        );
        self::assertSame(
            [],
            array_diff(['incomplete_body', 'not_set_up', 'length_required'], $sapi[1]),
        );
        self::assertGreaterThan(15, count($parser[1]));
        self::assertGreaterThan(4, count($server[1]));

        self::assertEqualsCanonicalizing(
            array_values(array_unique([
                ...array_column(ErrorCode::cases(), 'value'), ...$parser[1], ...$server[1], ...$sapi[1],
            ])),
            (new Description)->codes(),
        );
    }

    #[Test]
    public function every_status_of_a_code_is_where_the_code_is(): void
    {
        $description = new Description;

        foreach (ErrorCode::cases() as $code) {
            $found = array_filter(
                $description->at('#/components/schemas'),
                static function (mixed $schema) use ($code): bool {
                    $properties = is_array($schema)
                            && is_array($schema['allOf'] ?? null)
                            && is_array($schema['allOf'][1] ?? null)
                        ? $schema['allOf'][1]['properties'] ?? []
                        : [];
                    $status = is_array($properties) && is_array($properties['status'] ?? null)
                        ? $properties['status']['const'] ?? null
                        : null;
                    $codes = is_array($properties) && is_array($properties['code'] ?? null)
                        ? $properties['code']['enum'] ?? []
                        : [];

                    return $status === $code->status() && is_array($codes) && in_array($code->value, $codes, true);
                },
            );
            self::assertNotSame([], $found, $code->value);
        }
    }

    #[Test]
    public function it_is_a_document_of_openapi_3_1(): void
    {
        $wrong = json_decode(
            Shell::node(Shell::script('openapi.mjs'), ['EVENTS_DOCUMENT' => (string) realpath(Description::PATH)]),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertSame([], $wrong);
    }

    #[Test]
    public function its_references_lead_somewhere_and_its_names_are_used_once(): void
    {
        $description = new Description;
        self::assertSame(
            ['responses/MethodNotAllowed'],
            $description->unused(),
            'It is of no operation; info tells of it.',
        );
        preg_match_all('/"\$ref": "(#[^"]+)"/', Files::read('docs/collector.openapi.json'), $references);
        self::assertGreaterThan(100, count($references[1]));
        array_map($description->at(...), array_unique($references[1]));
        preg_match_all('/"operationId": "(\w+)"/', Files::read('docs/collector.openapi.json'), $names);
        self::assertSame(array_unique($names[1]), $names[1]);
    }

    private function said(string $address, Ask $ask): Said
    {
        for ($left = self::TRIES; ; $left--) {
            $said = Said::by($address, $ask);

            if (! $ask->isRepeated || $left === 0 || $said->status === $ask->status) {
                return $said;
            }

            usleep($ask->code === 'expired_key' ? 100_000 : 1);
        }
    }

    /** @return list<string> */
    private function unlike(Said $said): array
    {
        $ask = $said->ask;
        $wrong = $said->status === $ask->status ? [] : ["{$ask->words()}: it was {$said->status} {$said->body}"];

        return $ask->code === null || $said->code() === $ask->code
            ? $wrong
            : [...$wrong, "{$ask->words()}: the code was {$said->code()}"];
    }

    /**
     * @return array{array<string, string>, array<string, string>, list<Running>} addresses by name, keys by name, and
     *     who must live as long as they are used
     */
    private function collectors(): array
    {
        $base = ['listen' => '127.0.0.1:0', 'admin' => '127.0.0.1:0', 'workers' => 1, 'flushers' => 0];
        $quick = [
            'limits' => ['body_bytes' => 32_768, 'unfinished_bytes' => 32_768],
            'timeouts' => ['header' => 1, 'body_idle' => 1, 'handler' => 1],
        ];
        $intake = [
            'pixel' => true,
            'types' => self::TYPES,
            'schemas' => ['strict' => ['type' => 'object']],
            'webhooks' => ['billing' => 'sesame-sesame-sesame'],
            'origins' => ['https://shop.example'],
        ]
            + self::LIMITS;

        $home = TemporaryDirectory::create('collector');
        Running::configure($home->path);
        $scopes = [
            'web' => [],
            'orders' => ['--type', 'order.*'],
            'elsewhere' => ['--origin', 'https://elsewhere.example'],
            'rated' => ['--rate', '1'],
            'small' => ['--max-event-bytes', '64'],
            'revoked' => [],
            'expired' => ['--expires', '+2 seconds'],
        ];
        $keys = [];

        foreach ($scopes as $name => $scope) {
            $keys[$name] = Station::made($home->path, $scope, $name);
        }

        $list = Running::run($home->path, 'collect:key', 'list', '--json')[1];
        self::assertSame(1, preg_match('/"id": "(\w+)",\s+"name": "revoked"/', $list, $id));
        Running::run($home->path, 'collect:key', 'revoke', $id[1]);
        $open = Running::start($base + $quick + ['intake' => $intake], home: $home);

        $home = TemporaryDirectory::create('collector');
        // No disk has so much space, so the buffer accepts nothing.
        $spool = [
            'path' => "{$home->path}/spool",
            'min_free_bytes' => 1_125_899_906_842_624,
            'buckets' => ['events' => ['sink' => 'file', 'path' => "{$home->path}/out.ndjson"]],
        ];
        Running::configure($home->path, $base, $spool);
        $keys['full'] = Station::made($home->path, [], 'full');
        $keys['uncounted'] = Station::made($home->path, ['--rate', '5'], 'uncounted');
        touch("{$home->path}/spool/collector/rates");
        $full = Running::start($base + ['intake' => ['pixel' => true]], $spool, home: $home);

        $home = TemporaryDirectory::create('collector');
        mkdir("{$home->path}/spool/collector", 0700, true);
        file_put_contents("{$home->path}/spool/collector/keys.json", '{"keys":');
        $keyless = Running::start($base + ['intake' => []], home: $home);

        $failing = Running::start(
            $base + $quick
                + [
                    'handlers' => ['/v1/version' => Thrower::class, '/v1/events' => Silent::class],
                    'intake' => ['auth' => false],
                ],
        );

        return [
            [
                'open' => $open->address(),
                'admin' => $open->admin(),
                'full' => $full->address(),
                'keyless' => $keyless->address(),
                'failing' => $failing->address(),
            ],
            $keys,
            [$open, $full, $keyless, $failing],
        ];
    }
}
