<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

/**
 * Rules for source text. Each rule returns one sentence per breach.
 */
final readonly class HouseRules
{
    private const MOST_WORDS = 14;

    /** They name no actor, or are not said today. */
    private const VAGUE_WORDS =
        '/(?<![a-z0-9])(?:(?:no|some|any|every)body|wh(?:o|at)(?:m|ever)|who|a(?:new)|men(?:d|ds|ded))(?![a-z0-9])/';

    private const CLOCKS = ['time', 'microtime', 'hrtime', 'usleep', 'sleep', 'time_nanosleep', 'time_sleep_until'];

    /** proc_open() is not among them: with a list of arguments it starts no shell. */
    private const DANGEROUS = ['unserialize', 'exec', 'shell_exec', 'passthru', 'system', 'popen', 'pcntl_exec'];

    private const FILE_CHANGES = [
        'chgrp', 'chmod', 'chown', 'copy', 'fdatasync', 'file_put_contents', 'flock', 'fsync', 'ftruncate', 'link',
        'mkdir', 'rename',
        'rmdir', 'symlink', 'tempnam', 'touch', 'unlink',
    ];

    private const LARAVEL_HELPERS = [
        'app', 'base_path', 'cache', 'config', 'config_path', 'database_path', 'dispatch', 'env', 'event', 'logger',
        'now', 'report',
        'request', 'resolve', 'storage_path',
    ];

    /** @return list<string> */
    public static function fileLength(Source $source): array
    {
        return $source->lines() > 400 ? ["has {$source->lines()} lines; 400 are allowed."] : [];
    }

    /** @return list<string> */
    public static function functionLength(Source $source): array
    {
        $breaches = [];

        foreach ($source->functions() as $name => $lines) {
            if ($lines > 50) {
                $breaches[] = "{$name} has {$lines} lines; 50 are allowed.";
            }
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function smallInterfaces(Source $source): array
    {
        $breaches = [];

        foreach ($source->classes() as $class) {
            if ($class->kind === 'interface' && $class->methods() > 3) {
                $breaches[] = "{$class->name} has {$class->methods()} methods; an interface may have 3."
                    .' Extra powers are extra interfaces.';
            }
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function strictTypes(Source $source): array
    {
        return $source->declaresStrictTypes() ? [] : ['does not begin with declare(strict_types=1).'];
    }

    /** @return list<string> */
    public static function composition(Source $source): array
    {
        $breaches = [];

        foreach ($source->all(T_ABSTRACT, T_TRAIT, T_PROTECTED) as $token) {
            $breaches[] = "says {$token->text} in line {$token->line}; core rooms compose instead of inheriting.";
        }

        foreach ($source->classes() as $class) {
            if ($class->traits() > 0) {
                $breaches[] = "{$class->name} uses a trait; core rooms compose instead.";
            }
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function noTraits(Source $source): array
    {
        $breaches = [];

        foreach ($source->all(T_TRAIT) as $token) {
            $breaches[] = "declares a trait in line {$token->line}.";
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function finalClasses(Source $source): array
    {
        $breaches = [];

        foreach ($source->classes() as $class) {
            if (! $class->isFinal() && $class->kind !== 'trait' && ! in_array('abstract', $class->modifiers, true)) {
                $breaches[] = "{$class->name} is not final.";
            }
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function injectedTime(Source $source): array
    {
        $breaches = self::forbiddenCalls($source, self::CLOCKS, 'time comes from Headroom\Core\Clock');

        foreach ($source->calls() as $call) {
            $arguments = array_column($source->argumentsOf($call), 'text');

            if (in_array(ltrim($call->text, '\\'), ['date', 'gmdate'], true) && ! in_array(',', $arguments, true)) {
                $breaches[] =
                    "calls {$call->text}() without a time in line {$call->line}; time comes from Headroom\Core\Clock.";
            }
        }

        foreach ($source->instantiations() as $name) {
            $now = in_array($source->argumentsOf($name)[0]->text ?? "'now'", ["'now'", '"now"'], true);

            if ($now && in_array(ltrim($name->text, '\\'), ['DateTime', 'DateTimeImmutable'], true)) {
                $breaches[] =
                    "asks {$name->text} what time it is in line {$name->line}; time comes from Headroom\Core\Clock.";
            }
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function noFunctionImports(Source $source): array
    {
        $breaches = [];

        foreach ($source->imports() as $name) {
            $breaches[] = "imports the function {$name->text} in line {$name->line}; imports of functions are for paths"
                .' on which they were measured.';
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function noDangerousCalls(Source $source): array
    {
        $breaches = self::forbiddenCalls(
            $source,
            self::DANGEROUS,
            'a process is started from a list of arguments, without a shell; data on disk is JSON',
        );

        foreach ($source->all(T_EVAL) as $token) {
            $breaches[] = "says eval in line {$token->line}.";
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function noFileChanges(Source $source): array
    {
        return self::forbiddenCalls($source, self::FILE_CHANGES, 'files are changed in the rooms that own them');
    }

    /** @return list<string> */
    public static function noWordsMissed(Source $source): array
    {
        $breaches = [];

        foreach ($source->all(T_STRING) as $token) {
            if (strtolower($token->text) === 'waituntil') {
                $breaches[] = "calls {$token->text}() in line {$token->line}, which never sees what start() has read;"
                    .' Tests\\Support\\Printed does.';
            }
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function namesOfTests(Source $source): array
    {
        $breaches = [];

        foreach ($source->all(T_STRING) as $token) {
            if (preg_match('/\A[a-z][a-z0-9]*(_[a-z0-9]+){2,}\z/', $token->text) !== 1) {
                continue;
            }

            if (
                substr_count($token->text, '_') >= self::MOST_WORDS
                || preg_match(self::VAGUE_WORDS, $token->text) === 1
            ) {
                $breaches[] = "{$token->text} in line {$token->line}: the name of a test is a promise of at most "
                    .self::MOST_WORDS.' words that names its actor.';
            }
        }

        return $breaches;
    }

    /** @return list<string> */
    public static function noLaravelHelpers(Source $source): array
    {
        return self::forbiddenCalls($source, self::LARAVEL_HELPERS, "Laravel's helpers belong to src/Laravel");
    }

    /**
     * @param list<string> $forbidden
     * @return list<string>
     */
    private static function forbiddenCalls(Source $source, array $forbidden, string $why): array
    {
        $breaches = [];

        foreach ($source->calls() as $call) {
            if (in_array(strtolower(ltrim($call->text, '\\')), $forbidden, true)) {
                $breaches[] = "calls {$call->text}() in line {$call->line}; {$why}.";
            }
        }

        return $breaches;
    }
}
