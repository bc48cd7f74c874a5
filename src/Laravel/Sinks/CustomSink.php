<?php

declare(strict_types=1);

namespace Headroom\Laravel\Sinks;

use Headroom\Sink\Sink;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Illuminate\Contracts\Container\Container;
use ReflectionClass;
use ReflectionParameter;
use Throwable;

/**
 * Makes a sink class of the application with its container. The bucket's other settings become constructor arguments,
 * by name.
 *
 * @internal
 */
final readonly class CustomSink
{
    /**
     * @return ?Sink null if the class does not exist
     *
     * @throws InvalidConfig
     */
    public static function create(string $name, Container $container, ConfigReader $options): ?Sink
    {
        if (! class_exists($name) && ! interface_exists($name)) {
            return null;
        }

        $key = $options->key('sink');

        if (! is_a($name, Sink::class, true)) {
            throw InvalidConfig::notAllowed($key, $name, 'the name of a class that implements '.Sink::class);
        }

        $parameters = array_map(
            static fn (ReflectionParameter $parameter): string => $parameter->getName(),
            (new ReflectionClass($name))->getConstructor()?->getParameters() ?? [],
        );
        $options->only($parameters);

        try {
            return (static fn (): Sink => $container->make($name, $options->all()))();
        } catch (InvalidConfig $e) {
            throw $e;
        } catch (Throwable $e) {
            throw InvalidConfig::notAllowed(
                $key,
                $name,
                'a sink that the container can make; arguments of its constructor'
                    .($parameters === [] ? ', which has none,' : ' ('.implode(', ', $parameters).')')
                    ." are settings of the bucket. The container says: {$e->getMessage()}",
            );
        }
    }
}
