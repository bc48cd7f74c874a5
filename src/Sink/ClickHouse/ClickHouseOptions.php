<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use Headroom\Sink\DeduplicationKey;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\HeaderOptions;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use SensitiveParameter;

/**
 * The settings of a bucket with the ClickHouse sink. No message contains a secret.
 *
 * @internal
 */
final readonly class ClickHouseOptions
{
    private const KEYS = ['url', 'table', 'auth', 'headers', 'timeout', 'id'];

    private const RESERVED = [
        'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'host', 'te', 'trailer',
        'transfer-encoding', 'upgrade',
    ];

    /**
     * @param string $table quoted
     * @param array<string, string> $headers
     * @param int $timeout seconds for one request
     * @param non-empty-list<string> $id columns that identify an event
     */
    private function __construct(
        public Endpoint $endpoint,
        public string $table,
        #[SensitiveParameter] public array $headers,
        public int $timeout,
        public array $id,
    ) {}

    /** @throws InvalidConfig */
    public static function from(ConfigReader $options): self
    {
        $options->only(self::KEYS);
        $endpoint = Endpoint::fromOptions($options, 'url');
        $auth = HeaderOptions::auth($options);
        $table = $options->string('table');
        $id = $options->names('id') ?? DeduplicationKey::EVENT;

        if (! $endpoint->isBase()) {
            throw InvalidConfig::notShown(
                "{$options->path}.url",
                'the address of the server without ? and #, such as https://clickhouse.example.com:8443',
            );
        }

        if (preg_match('/\A[A-Za-z_]\w{0,100}(?:\.[A-Za-z_]\w{0,100})?\z/', $table) !== 1) {
            throw InvalidConfig::notAllowed(
                "{$options->path}.table",
                $table,
                'the name of a table, or of a database and a table with a dot between, of letters, digits and _',
            );
        }

        return new self(
            $endpoint,
            '`'.str_replace('.', '`.`', $table).'`',
            [
                ...HeaderOptions::read(
                    $options,
                    $auth === [] ? self::RESERVED : [...self::RESERVED, 'authorization'],
                    ['User-Agent' => 'Headroom'],
                ),
                ...$auth,
            ],
            $options->int('timeout', 1, 300, 30),
            $id !== []
                ? $id
                : throw InvalidConfig::notAllowed(
                    "{$options->path}.id",
                    'empty',
                    "a list of at least one column, such as ['source', 'id']",
                ),
        );
    }
}
