<p {{ $attributes->class(['notice', "notice-{$kind}"]) }}>{{ $slot }}</p>
