<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Closure;

/**
 * A change to a stack without faults: a fault, or a configuration that is as near to a fault as possible.
 */
final readonly class Planting
{
    /**
     * @param string $rule that must report it; '' for a near miss, which no check may report
     * @param array<string, string> $nginx lines of its configuration by what they are replaced with
     * @param array<string, string> $fpm likewise
     * @param array<string, string|int> $redis as in redis.conf
     * @param list<list<string|int>> $commands that Redis is given, and 'hold' and 'let go' of connections
     * @param array<string, string> $env of .env
     * @param array<string, string> $config pieces of config/*.php by what they are replaced with
     * @param list<string> $artisan command lines
     * @param list<string> $sql statements, and 'leave open SECONDS' and 'deadlock'
     * @param list<string> $ini of php.ini of PHP-FPM
     * @param array<string, string> $files of the application, by path
     * @param list<string> $also rules that are right to tell of it as well
     * @param float $away milliseconds that the SQL server is away
     * @param ?Closure(WholeStack): array<mixed> $work that it is put to once it runs;
     *     what it returns is kept until the stack ends
     * @param bool $isProse what mends it is a sentence for people: no line and no command
     */
    public function __construct(
        public string $name,
        public string $rule,
        public array $nginx = [],
        public array $fpm = [],
        public array $redis = [],
        public array $commands = [],
        public array $env = [],
        public array $config = [],
        public array $artisan = [],
        public array $sql = [],
        public array $ini = [],
        public array $files = [],
        public array $also = [],
        public float $away = 0.0,
        public ?Closure $work = null,
        public bool $isProse = false,
    ) {}

    public static function nothing(): self
    {
        return new self('nothing', '');
    }
}
