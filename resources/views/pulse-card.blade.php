@php
    $buckets = $now['buckets'] ?? [];
    $seconds = static fn (?float $seconds): string => match (true) {
        $seconds === null => '–',
        $seconds < 120 => round($seconds).' s',
        $seconds < 7200 => round($seconds / 60).' min',
        $seconds < 172800 => round($seconds / 3600).' h',
        default => round($seconds / 86400).' days',
    };
@endphp
<x-pulse::card :cols="$cols" :rows="$rows" :class="$class">
    <x-pulse::card-header
        name="Buffered writes"
        title="Of the machine {{ $now['node']['host'] ?? '' }}"
        details="{{ number_format($now['totals']['pending'] ?? 0) }} waiting on this machine"
    >
        <x-slot:actions>
            @if ($dashboard !== null)
                <a class="text-xs text-gray-600 dark:text-gray-400 font-medium underline" href="{{ $dashboard }}">Dashboard</a>
            @endif
        </x-slot:actions>
    </x-pulse::card-header>

    <x-pulse::scroll :expand="$expand" wire:poll.5s="">
        @if ($failure !== null)
            <p class="text-sm text-gray-700 dark:text-gray-300">{{ $failure }}</p>
        @elseif ($buckets === [])
            <x-pulse::no-results />
        @else
            @foreach ($now['alerts'] as $alert)
                <p class="mb-2 text-sm text-gray-700 dark:text-gray-300" role="status" wire:key="alert-{{ $loop->index }}">
                    <strong>{{ $alert['title'] }}: {{ $alert['subject'] }}.</strong> {{ $alert['message'] }} {{ $alert['fix'] }}
                </p>
            @endforeach

            <x-pulse::table>
                <x-pulse::thead>
                    <tr>
                        <x-pulse::th>Bucket</x-pulse::th>
                        <x-pulse::th>State</x-pulse::th>
                        <x-pulse::th class="text-right">Waiting</x-pulse::th>
                        <x-pulse::th class="text-right">Oldest</x-pulse::th>
                        <x-pulse::th class="text-right">Delivered</x-pulse::th>
                        <x-pulse::th class="text-right">Dead letters</x-pulse::th>
                    </tr>
                </x-pulse::thead>
                <tbody>
                    @foreach ($buckets as $bucket)
                        <tr wire:key="{{ $bucket['bucket'] }}-spacer" class="h-2 first:h-0"></tr>
                        <tr wire:key="{{ $bucket['bucket'] }}-row">
                            <x-pulse::td class="max-w-[1px]">
                                <code class="block text-xs text-gray-900 dark:text-gray-100 truncate" title="{{ $bucket['bucket'] }}">{{ $bucket['bucket'] }}</code>
                            </x-pulse::td>
                            <x-pulse::td class="text-gray-700 dark:text-gray-300">{{ $bucket['state'] }}</x-pulse::td>
                            <x-pulse::td numeric class="text-gray-700 dark:text-gray-300 font-bold">{{ number_format($bucket['pending']) }}</x-pulse::td>
                            <x-pulse::td numeric class="text-gray-700 dark:text-gray-300">{{ $seconds($bucket['oldest_seconds']) }}</x-pulse::td>
                            <x-pulse::td numeric class="text-gray-700 dark:text-gray-300">{{ number_format($bucket['delivered']) }}</x-pulse::td>
                            <x-pulse::td numeric class="text-gray-700 dark:text-gray-300">{{ number_format($bucket['letters']) }}</x-pulse::td>
                        </tr>
                    @endforeach
                </tbody>
            </x-pulse::table>
        @endif
    </x-pulse::scroll>
</x-pulse::card>
