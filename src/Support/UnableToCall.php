<?php

declare(strict_types=1);

namespace Headroom\Support;

use Error;
use Headroom\Core\HeadroomException;
use Headroom\Core\Permanent;
use RuntimeException;
use Throwable;

/**
 * A function that the package needs does not exist, because the host disables it or an extension is missing.
 */
final class UnableToCall extends RuntimeException implements HeadroomException, Permanent
{
    private function __construct(string $message, public readonly string $function, ?Error $previous = null)
    {
        parent::__construct($message, 0, $previous);
    }

    public static function switchedOff(string $function, ?Error $previous = null): self
    {
        return new self(self::seen($function).' '.self::advice($function), $function, $previous);
    }

    public static function seen(string $function): string
    {
        return "Headroom needs the function {$function}(), which this PHP does not have.";
    }

    public static function advice(string $function): string
    {
        $extension = preg_match('/\A(?:pcntl|posix)(?=_)/', $function, $m) === 1
            ? ", or to load the extension {$m[0]}"
            : '';

        return "Ask your host to remove {$function} from disable_functions in php.ini{$extension}"
            .' (docs/requirements.md).';
    }

    /**
     * Converts the error of a call that this package made. Any other error, also one of a callback, is returned
     * unchanged.
     */
    public static function behind(Throwable $e): Throwable
    {
        return $e instanceof Error
            && str_starts_with($e->getFile(), dirname(__DIR__).DIRECTORY_SEPARATOR)
            && preg_match('/\ACall to undefined function (?:.*\\\\)?(\w+)\(\)/', $e->getMessage(), $m) === 1
            ? self::switchedOff($m[1], $e)
            : $e;
    }
}
