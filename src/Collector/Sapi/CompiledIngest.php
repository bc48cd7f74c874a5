<?php

declare(strict_types=1);

namespace Headroom\Collector\Sapi;

use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Ingest\Schema\SchemaValidator;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\InvalidConfig;
use ReflectionClass;

use function array_diff_key;
use function array_map;
use function get_object_vars;
use function implode;
use function is_array;
use function is_scalar;
use function php_strip_whitespace;
use function preg_replace;
use function var_export;

/**
 * The configuration for PHP-FPM: validated once, when it is compiled, and loaded by each request as one array in
 * opcache's memory. It has no API keys, so that revoking a key takes effect on the next request.
 *
 * @internal
 *
 * @phpstan-type Data array{
 *     version: int,
 *     classes: string,
 *     vendor: string,
 *     spool: array<array-key, mixed>,
 *     modes: array{int, int},
 *     body_bytes: int<0, max>,
 *     intake: array{
 *         bucket: string,
 *         deadBucket: ?string,
 *         isAuthenticated: bool,
 *         origins: list<string>,
 *         hasPixel: bool,
 *         source: string,
 *         types: ?list<string>,
 *         schemas: array<string, string|array<array-key, mixed>>,
 *         webhooks: array<string, non-empty-list<non-empty-string>>,
 *         tolerance: int,
 *     },
 *     limits: array<string, int<1, max>>,
 * }
 */
final readonly class CompiledIngest
{
    /** Format version of the file. The front controller checks it. */
    public const VERSION = 1;

    /**
     * The classes that a request with one event needs, in an order in which parents come first. They lie in the
     * compiled file, because opening fifty files takes a fifth of the time of such a request.
     * Other classes are autoloaded.
     */
    private const CLASSES = [
        'Psr\\Clock\\ClockInterface',
        'Headroom\\Core\\Clock',
        'Headroom\\Collector\\Ingest\\Format\\EventFormat',
        'Headroom\\Collector\\RequestHandler',
        'Headroom\\Collector\\Ingest\\Format\\EventReader',
        'Headroom\\Spool\\Store\\Writer',
        'Headroom\\Collector\\Sapi\\SapiRequest',
        'Headroom\\Http\\MessageLimits',
        'Headroom\\Collector\\Sapi\\FrontController',
        'Headroom\\Core\\SystemClock',
        'Headroom\\Collector\\Ingest\\IngestSettings',
        'Headroom\\Collector\\Ingest\\IngestLimits',
        'Headroom\\Spool\\AppendConfig',
        'Headroom\\Collector\\Ingest\\IngestPipeline',
        'Headroom\\Collector\\Ingest\\Authentication\\Authenticator',
        'Headroom\\Collector\\Ingest\\Authentication\\ApiKeyCache',
        'Headroom\\Collector\\Ingest\\Authentication\\ApiKeyStore',
        'Headroom\\Collector\\Ingest\\RateLimit\\RateLimiter',
        'Headroom\\Collector\\Ingest\\Router',
        'Headroom\\Collector\\Ingest\\Json\\JsonObject',
        'Headroom\\Collector\\Ingest\\ContentDecoder',
        'Headroom\\Collector\\Ingest\\ResponseFactory',
        'Headroom\\Collector\\Ingest\\CorsPolicy',
        'Headroom\\Spool\\Encoding\\Codec',
        'Headroom\\Collector\\Sapi\\SapiIngest',
        'Headroom\\Collector\\Ingest\\AppendOutcome',
        'Headroom\\Collector\\Server\\Metrics\\SapiCounters',
        'Headroom\\Spool\\Buffer',
        'Headroom\\Collector\\Request',
        'Headroom\\Collector\\Ingest\\Format\\JsonEvents',
        'Headroom\\Collector\\Ingest\\Format\\ForwardedRows',
        'Headroom\\Collector\\Ingest\\Format\\EventOrError',
        'Headroom\\Collector\\Ingest\\Format\\JsonEventReader',
        'Headroom\\Collector\\Ingest\\Format\\EventShapeCache',
        'Headroom\\Support\\FileOperation',
        'Headroom\\Support\\RegularFile',
        'Headroom\\Support\\Path',
        'Headroom\\Support\\Utf8Cut',
        'Headroom\\Collector\\Ingest\\Authentication\\ApiKey',
        'Headroom\\Collector\\Ingest\\Batch',
        'Headroom\\Collector\\Ingest\\EventIdGenerator',
        'Headroom\\Collector\\Ingest\\EventEncoder',
        'Headroom\\Core\\Date',
        'Headroom\\Collector\\Ingest\\EventTime',
        'Headroom\\Collector\\Ingest\\Json\\JsonSplitter',
        'Headroom\\Collector\\Ingest\\FieldRules',
        'Headroom\\Collector\\Ingest\\ErrorCode',
        'Headroom\\Collector\\Ingest\\Event',
        'Headroom\\Core\\Json',
        'Headroom\\Collector\\Response',
        'Headroom\\Collector\\IngestResult',
        'Headroom\\Spool\\Bucket',
        'Headroom\\Spool\\FileStore\\Segment\\SegmentWriter',
        'Headroom\\Spool\\SpoolConfig',
        'Headroom\\Support\\ConfigReader',
    ];

    /** @param array<string, mixed> $data */
    private function __construct(private array $data) {}

    /** @throws InvalidConfig also for settings that PHP-FPM cannot use */
    public static function of(CollectorConfig $config, SpoolServices $spool): self
    {
        $settings = IngestSettings::fromOptions($config->intake());
        SchemaValidator::of($settings->schemas);
        $buckets = $settings->buckets();
        $spool->settings()->refuseFilters($buckets);
        $whole = $spool->config();

        foreach ($buckets as $bucket) {
            if ($spool->settings()->isOnRedis($bucket)) {
                throw InvalidConfig::notAllowed(
                    "spool.buckets.{$bucket}.store",
                    'redis',
                    "file: the front controller loads no Redis client, and writes to this machine's disk."
                        .' `headroom:collect` and the route of an application write to Redis as well',
                );
            }

            // Report an invalid level now, not on the first request.
            $spool->settings()->isPower($bucket);
        }

        $ingest = array_diff_key(get_object_vars($settings), ['limits' => 1]);
        self::plain($ingest, 'collector.intake');

        return new self([
            'version' => self::VERSION,
            'spool' => $spool->settings()->forWriting($buckets),
            'modes' => [$whole->directoryMode(), $whole->fileMode()],
            'body_bytes' => $config->limits()->message->bodyBytes,
            'intake' => $ingest,
            'limits' => get_object_vars($settings->limits),
        ]);
    }

    /**
     * @param string $root PHP expression of the directory of this package's classes
     * @param string $vendor PHP expression of Composer's autoloader, for other classes
     */
    public function text(string $root, string $vendor): string
    {
        $data = var_export($this->data, true);
        $classes = implode("\n", array_map(self::source(...), self::CLASSES));

        return "<?php\n\n// headroom:ingest Compiled from the configuration and the package;"
            .' `headroom:collect:publish` writes it'
            ." again.\n\ndeclare(strict_types=1);\n\n{$classes}\n\nreturn ['classes' => {$root}, 'vendor' => {$vendor}]"
            ." + {$data};\n";
    }

    /**
     * Each class keeps its namespace and its imports in the compiled file.
     *
     * @param class-string $class
     */
    private static function source(string $class): string
    {
        return (string) preg_replace(
            '/\A<\?php\s+(?:declare\s*\(\s*strict_types\s*=\s*1\s*\);\s*)?/',
            '',
            php_strip_whitespace((string) (new ReflectionClass($class))->getFileName()),
        );
    }

    private static function plain(mixed $value, string $key): void
    {
        if (is_array($value)) {
            foreach ($value as $name => $member) {
                self::plain($member, "{$key}.{$name}");
            }
        } elseif (! is_scalar($value) && $value !== null) {
            throw InvalidConfig::notAllowed(
                $key,
                $value,
                'strings, numbers and arrays of them, as a cached configuration needs',
            );
        }
    }
}
